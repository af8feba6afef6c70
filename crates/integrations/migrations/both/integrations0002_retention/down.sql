DROP INDEX integration_deliveries_age;
CREATE INDEX integration_deliveries_old ON integration_deliveries (created_ms) WHERE status <> 'pending';
