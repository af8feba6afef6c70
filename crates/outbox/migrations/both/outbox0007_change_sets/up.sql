-- The writes that belong together: those of one request, or of the requests that a caller gave one name. What they
-- changed is in the audit log: at the time and under the request of the first part, which stands here, and of the
-- others, in change_set_parts.
CREATE TABLE change_sets (
    tenant_id TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT,
    user_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    first_ms BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    requests BIGINT NOT NULL,
    objects BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, created_ms, id)
);
CREATE INDEX change_sets_named ON change_sets (tenant_id, key_id, name, created_ms) WHERE name IS NOT NULL;
CREATE TABLE change_set_parts (
    tenant_id TEXT NOT NULL,
    set_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, set_id, owner_id, at_ms, request_id)
);
-- Which objects a set of several parts has, so that each counts once.
CREATE TABLE change_set_objects (
    tenant_id TEXT NOT NULL,
    set_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, set_id, owner_id, entity, entity_id)
);
