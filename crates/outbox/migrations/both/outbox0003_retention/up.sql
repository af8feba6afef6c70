-- What is old is looked for a tenant at a time.
DROP INDEX idempotency_created;
CREATE INDEX idempotency_age ON idempotency (tenant_id, created_ms);
