-- To find those that are gone. An index that was cut off while it was made is dropped.
DROP INDEX CONCURRENTLY IF EXISTS integration_events_gone;
CREATE INDEX CONCURRENTLY integration_events_gone ON integration_events (tenant_id, id) WHERE gone;
