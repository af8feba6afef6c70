-- What is old is looked for a tenant at a time.
DROP INDEX integration_deliveries_old;
CREATE INDEX integration_deliveries_age ON integration_deliveries (tenant_id, created_ms) WHERE status <> 'pending';
