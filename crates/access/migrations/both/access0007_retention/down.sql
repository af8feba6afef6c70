DROP INDEX tokens_age;
CREATE INDEX tokens_by_expiry ON tokens (expires_ms);
