-- What a key is narrowed to: operationIds, ascending, with a blank between two; null for all that its role may.
ALTER TABLE api_keys ADD COLUMN operations TEXT;
-- When it ends by itself, and when it was used last, to the minute.
ALTER TABLE api_keys ADD COLUMN expires_ms BIGINT;
ALTER TABLE api_keys ADD COLUMN last_used_ms BIGINT;
UPDATE api_keys SET last_used_ms =
    (SELECT max(created_ms) FROM tokens WHERE tokens.tenant_id = api_keys.tenant_id AND tokens.key_id = api_keys.id);
