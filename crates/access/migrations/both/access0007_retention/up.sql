-- What is old is looked for a tenant at a time.
DROP INDEX tokens_by_expiry;
CREATE INDEX tokens_age ON tokens (tenant_id, expires_ms);
