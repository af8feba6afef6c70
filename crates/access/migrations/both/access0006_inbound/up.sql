-- Addresses to which monitors report; of their tokens the SHA-256 alone is kept, in hex.
CREATE TABLE inbound_addresses (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    name_fold TEXT COLLATE "C" NOT NULL,
    user_id TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
-- A sender is looked up before its tenant is known.
CREATE UNIQUE INDEX inbound_addresses_by_token ON inbound_addresses (token_hash);
CREATE UNIQUE INDEX inbound_addresses_by_name ON inbound_addresses (tenant_id, name_fold);
