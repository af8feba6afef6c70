-- For a primary key with the time, and to find the pages of an alert. Those that were cut off while they were made are
-- dropped.
DROP INDEX CONCURRENTLY IF EXISTS pages_by_time;
CREATE UNIQUE INDEX CONCURRENTLY pages_by_time ON pages (tenant_id, id, created_ms);
DROP INDEX CONCURRENTLY IF EXISTS pages_alert;
CREATE INDEX CONCURRENTLY pages_alert ON pages (tenant_id, alert_id);
