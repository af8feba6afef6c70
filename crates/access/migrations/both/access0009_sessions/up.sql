-- Addresses that sign a person in, once; of their codes the SHA-256 alone is kept, in hex.
CREATE TABLE sign_in_links (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT COLLATE "C" NOT NULL,
    user_id TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
-- Who signs in is known by the code alone.
CREATE UNIQUE INDEX sign_in_links_by_code ON sign_in_links (code_hash);
CREATE INDEX sign_in_links_of_user ON sign_in_links (tenant_id, user_id, created_ms);
CREATE INDEX sign_in_links_age ON sign_in_links (tenant_id, expires_ms);

-- Browsers of people who signed in; of what their cookies hold the SHA-256 alone is kept, in hex.
CREATE TABLE sessions (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT COLLATE "C" NOT NULL,
    user_id TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    method TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    used_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
-- A caller is looked up before its tenant is known.
CREATE UNIQUE INDEX sessions_by_token ON sessions (token_hash);
CREATE INDEX sessions_of_user ON sessions (tenant_id, user_id, created_ms);
CREATE INDEX sessions_age ON sessions (tenant_id, used_ms);
