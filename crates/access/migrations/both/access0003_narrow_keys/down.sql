ALTER TABLE api_keys DROP COLUMN operations;
ALTER TABLE api_keys DROP COLUMN expires_ms;
ALTER TABLE api_keys DROP COLUMN last_used_ms;
