-- What happened and has not been handed on yet. A row is deleted once every subscriber has it.
CREATE TABLE outbox_events (
    seq BIGSERIAL NOT NULL,
    tenant_id TEXT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    action TEXT NOT NULL,
    before TEXT,
    after TEXT,
    request_id TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    owner TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);
CREATE INDEX outbox_events_entity ON outbox_events (tenant_id, entity, entity_id, seq);
CREATE INDEX outbox_events_due ON outbox_events (due_ms, seq);

-- Who changed what, when. Never updated, never deleted by the program.
CREATE TABLE audit_log (
    tenant_id TEXT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    at_ms BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    action TEXT NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    changes TEXT NOT NULL,
    request_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX audit_log_at ON audit_log (tenant_id, at_ms, id);
CREATE INDEX audit_log_entity ON audit_log (tenant_id, entity, entity_id, at_ms);

-- The first answer to a request that names a key, for 24 hours.
CREATE TABLE idempotency (
    tenant_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    etag BIGINT,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, caller, idempotency_key)
);
CREATE INDEX idempotency_created ON idempotency (created_ms);
