-- What is to be heard of again and again. `_ms` columns are milliseconds, since the epoch where they name a moment;
-- `name_key` is folded. Of the token of its address the SHA-256 alone is kept, in hex. `missed` says that its silence was
-- reported.
CREATE TABLE heartbeats (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    interval_ms BIGINT NOT NULL,
    grace_ms BIGINT NOT NULL,
    severity TEXT NOT NULL,
    device TEXT NOT NULL,
    token_hash TEXT NOT NULL,
    last_ms BIGINT,
    due_ms BIGINT,
    missed BOOLEAN NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX heartbeats_name ON heartbeats (tenant_id, name_key);
-- Whoever pings is looked up before its tenant is known.
CREATE UNIQUE INDEX heartbeats_token ON heartbeats (token_hash);
-- Who is silent is looked for in all tenants at once.
CREATE INDEX heartbeats_due ON heartbeats (due_ms) WHERE NOT missed AND due_ms IS NOT NULL;
