-- What becomes of an alert that people are to hear of. `policy` and `alert` are JSON, as they were when it began; `next_ms` is
-- when something is to be done, NULL when nothing is.
CREATE TABLE escalations (
    tenant_id TEXT COLLATE "C" NOT NULL,
    alert_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    policy_tenant TEXT COLLATE "C" NOT NULL,
    policy_id TEXT COLLATE "C" NOT NULL,
    policy_name TEXT COLLATE "C" NOT NULL,
    policy TEXT COLLATE "C" NOT NULL,
    route_id TEXT COLLATE "C" NOT NULL,
    stage TEXT COLLATE "C" NOT NULL,
    round BIGINT NOT NULL,
    step BIGINT NOT NULL,
    repeats BIGINT NOT NULL,
    next_ms BIGINT,
    urgency TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    alert TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, alert_id)
);
CREATE INDEX escalations_due ON escalations (next_ms, tenant_id, alert_id) WHERE next_ms IS NOT NULL;
CREATE INDEX escalations_policy ON escalations (tenant_id, policy_id, created_ms);
CREATE INDEX escalations_updated ON escalations (tenant_id, updated_ms);

-- What is sent to whom through what, and what could not be. Decided once for each alert, round, step, person and method.
-- `due_ms` is when it is sent next, NULL when it is settled; `owner` is the gateway that has it in hand until then.
CREATE TABLE pages (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    alert_id TEXT COLLATE "C" NOT NULL,
    round BIGINT NOT NULL,
    step BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    method_tenant TEXT COLLATE "C" NOT NULL,
    method_id TEXT COLLATE "C" NOT NULL,
    channel TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    why TEXT COLLATE "C" NOT NULL,
    urgency TEXT COLLATE "C" NOT NULL,
    policy_id TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    due_ms BIGINT,
    owner TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    log TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    sent_ms BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX pages_once ON pages (tenant_id, alert_id, round, step, user_id, method_id) WHERE alert_id <> '';
CREATE INDEX pages_due ON pages (due_ms, tenant_id, id) WHERE due_ms IS NOT NULL;
CREATE INDEX pages_created ON pages (tenant_id, created_ms, id);
CREATE INDEX pages_sent ON pages (method_id, sent_ms) WHERE sent_ms IS NOT NULL;
CREATE INDEX pages_waiting ON pages (method_id, due_ms) WHERE due_ms IS NOT NULL;

-- Who owns what: a user group for a resource, a device group or a site, or for all that has no other owner (`kind` is
-- `default` then, and `target_id` empty). `target_id` is the id of a resource, or the number of a group or site.
CREATE TABLE owners (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    target_id TEXT COLLATE "C" NOT NULL,
    group_id TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX owners_target ON owners (tenant_id, kind, target_id);
