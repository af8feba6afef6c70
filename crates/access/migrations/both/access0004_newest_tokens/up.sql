-- The newest tokens of a key stay: what comes behind them is found without reading them.
DROP INDEX tokens_of_key;
CREATE INDEX tokens_of_key ON tokens (tenant_id, key_id, created_ms, hash);
