-- Integrations: what the outside world is told, and how. `_ms` columns are milliseconds since the epoch; `notifier` and
-- `config` are JSON without secrets, which are in the columns `secrets` and `signing`, sealed for their row and column.
CREATE TABLE integrations (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    enabled BOOLEAN NOT NULL,
    notifier TEXT COLLATE "C",
    secrets TEXT COLLATE "C" NOT NULL,
    signing TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX integrations_name ON integrations (tenant_id, name_key, id);

-- Events: when to call whom with what.
CREATE TABLE integration_events (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    integration_id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    inactive_because TEXT COLLATE "C" NOT NULL,
    config TEXT COLLATE "C" NOT NULL,
    secrets TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id)
);
CREATE INDEX integration_events_integration ON integration_events (tenant_id, integration_id, created_ms, id);

-- Counts the changes to the integrations and events of a tenant.
CREATE TABLE integration_revisions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);

-- The queue of each event: when its next delivery is due (never later than that), and since when all attempts fail.
CREATE TABLE integration_lanes (
    tenant_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    due_ms BIGINT NOT NULL,
    failing_since_ms BIGINT,
    PRIMARY KEY (tenant_id, event_id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES integration_events (tenant_id, id)
);
CREATE INDEX integration_lanes_due ON integration_lanes (due_ms);

-- Deliveries. `status` is pending, delivered or failed. A pending one is due at `due_ms`; one that a gateway has claimed
-- is due again when the claim runs out, and `claim` counts the claims. `log` is a JSON array of the attempts.
CREATE TABLE integration_deliveries (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    due_ms BIGINT NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    claim BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    last_attempt_ms BIGINT,
    response_status BIGINT,
    log TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES integration_events (tenant_id, id)
);
CREATE INDEX integration_deliveries_due ON integration_deliveries (tenant_id, event_id, due_ms, id) WHERE status = 'pending';
CREATE INDEX integration_deliveries_created ON integration_deliveries (tenant_id, event_id, created_ms, id);
CREATE INDEX integration_deliveries_old ON integration_deliveries (created_ms) WHERE status <> 'pending';

-- What a delivery sends: rendered once, when the action committed, and never changed.
CREATE TABLE integration_messages (
    tenant_id TEXT COLLATE "C" NOT NULL,
    delivery_id TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    headers TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    about TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, delivery_id),
    FOREIGN KEY (tenant_id, delivery_id) REFERENCES integration_deliveries (tenant_id, id)
);
