-- Partners and their clients. A partner is its own partner. The id is the one of every path, so it is the tenant that
-- the key of every other table starts with.
CREATE TABLE tenants (
    id TEXT NOT NULL PRIMARY KEY,
    partner_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_fold TEXT COLLATE "C" NOT NULL,
    activated BOOLEAN NOT NULL,
    suspended BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
);
CREATE INDEX tenants_of_partner ON tenants (partner_id, number);
CREATE UNIQUE INDEX clients_by_name ON tenants (partner_id, name_fold) WHERE id <> partner_id;

-- People, and those that API keys act as. Ids are unique among all tenants.
CREATE TABLE users (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT NOT NULL,
    login_name TEXT NOT NULL,
    login_fold TEXT COLLATE "C" NOT NULL,
    first_name TEXT,
    last_name TEXT,
    email TEXT,
    phone_number TEXT,
    mobile_number TEXT,
    activated BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX users_by_id ON users (id);
CREATE UNIQUE INDEX users_by_login ON users (tenant_id, login_fold);

-- Of a secret its SHA-256 alone is kept. A second one is live while a key is rotated.
CREATE TABLE api_keys (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    name_fold TEXT COLLATE "C" NOT NULL,
    role TEXT NOT NULL,
    user_id TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    secret2_hash TEXT,
    version BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    revoked_ms BIGINT,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
-- A caller's key is looked up before its tenant is known.
CREATE UNIQUE INDEX api_keys_by_key ON api_keys (key);
CREATE UNIQUE INDEX api_keys_by_name ON api_keys (tenant_id, name_fold) WHERE revoked_ms IS NULL;

-- A token is known by its SHA-256 alone, before its tenant is: the one table whose key does not start with the tenant.
CREATE TABLE tokens (
    hash TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    FOREIGN KEY (tenant_id, key_id) REFERENCES api_keys (tenant_id, id)
);
CREATE INDEX tokens_of_key ON tokens (tenant_id, key_id);
CREATE INDEX tokens_by_expiry ON tokens (expires_ms);
