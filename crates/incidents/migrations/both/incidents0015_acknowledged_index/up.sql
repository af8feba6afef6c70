-- To find what people worked on. An index that was cut off while it was made is dropped.
DROP INDEX CONCURRENTLY IF EXISTS alerts_acknowledged;
CREATE INDEX CONCURRENTLY alerts_acknowledged ON alerts (tenant_id, acknowledged_ms, closed_ms, acknowledged_by)
    WHERE acknowledged_by IS NOT NULL;
