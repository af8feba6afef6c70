DROP INDEX alerts_open_hosts;
CREATE INDEX alerts_open_hosts ON alerts (tenant_id, host_key) WHERE closed_ms IS NULL AND resource_id IS NOT NULL;
DROP INDEX incidents_open;
DROP INDEX incidents_age;
DROP INDEX alert_problems_age;
DROP INDEX alerts_age;
