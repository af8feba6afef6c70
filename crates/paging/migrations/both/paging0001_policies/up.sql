-- How people want to be told. `settings` is what everybody may know of a method (JSON); `sealed` holds its URL, numbers and
-- tokens, under the key of the gateway. `code_hash` is that of the code that was sent, empty when none is awaited.
-- `_ms` columns are milliseconds since the epoch.
CREATE TABLE contact_methods (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    preset TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    sealed TEXT COLLATE "C" NOT NULL,
    verified BOOLEAN NOT NULL,
    code_hash TEXT COLLATE "C" NOT NULL,
    code_until_ms BIGINT NOT NULL,
    code_tries BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX contact_methods_user ON contact_methods (tenant_id, user_id, created_ms, id);

-- What of those is used when; one row for each person and urgency, `steps` as JSON.
CREATE TABLE notification_rules (
    tenant_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    urgency TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, urgency)
);

-- Who is told, one after the other; `document` is JSON.
CREATE TABLE escalation_policies (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX escalation_policies_name ON escalation_policies (tenant_id, name_key);

-- Which alerts go to which policy: the first that matches, in the order of `position`. One without rules is the default,
-- and stands behind all others.
CREATE TABLE alert_routes (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    is_default BOOLEAN NOT NULL,
    rules TEXT COLLATE "C" NOT NULL,
    policy_id TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, policy_id) REFERENCES escalation_policies (tenant_id, id)
);
CREATE UNIQUE INDEX alert_routes_name ON alert_routes (tenant_id, name_key);
CREATE UNIQUE INDEX alert_routes_default ON alert_routes (tenant_id) WHERE is_default;
CREATE INDEX alert_routes_order ON alert_routes (tenant_id, is_default, position, id);
CREATE INDEX alert_routes_policy ON alert_routes (tenant_id, policy_id);
