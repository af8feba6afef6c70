DROP INDEX tokens_of_key;
CREATE INDEX tokens_of_key ON tokens (tenant_id, key_id);
