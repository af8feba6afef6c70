-- What a person may do; of the user of a key, what its key may.
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'viewer';
UPDATE users SET role = coalesce((SELECT max(api_keys.role) FROM api_keys
    WHERE api_keys.tenant_id = users.tenant_id AND api_keys.user_id = users.id), 'viewer');
-- Does the key act as a person? Then it may no more than that one, and ends with it.
ALTER TABLE api_keys ADD COLUMN personal BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX api_keys_of_user ON api_keys (tenant_id, user_id);
