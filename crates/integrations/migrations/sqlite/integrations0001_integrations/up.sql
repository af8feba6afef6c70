-- Integrations: what the outside world is told, and how. `_ms` columns are milliseconds since the epoch; `notifier` and
-- `config` are JSON without secrets, which are in the columns `secrets` and `signing`, sealed for their row and column.
CREATE TABLE integrations (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    notifier TEXT,
    secrets TEXT NOT NULL,
    signing TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX integrations_name ON integrations (tenant_id, name_key, id);

-- Events: when to call whom with what.
CREATE TABLE integration_events (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    inactive_because TEXT NOT NULL,
    config TEXT NOT NULL,
    secrets TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id)
);
CREATE INDEX integration_events_integration ON integration_events (tenant_id, integration_id, created_ms, id);

-- Counts the changes to the integrations and events of a tenant.
CREATE TABLE integration_revisions (
    tenant_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);

-- The queue of each event: when its next delivery is due (never later than that), and since when all attempts fail.
CREATE TABLE integration_lanes (
    tenant_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    due_ms BIGINT NOT NULL,
    failing_since_ms BIGINT,
    PRIMARY KEY (tenant_id, event_id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES integration_events (tenant_id, id)
);
CREATE INDEX integration_lanes_due ON integration_lanes (due_ms);

-- Deliveries. `status` is pending, delivered or failed. A pending one is due at `due_ms`; one that a gateway has claimed
-- is due again when the claim runs out, and `claim` counts the claims. `log` is a JSON array of the attempts.
CREATE TABLE integration_deliveries (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    status TEXT NOT NULL,
    due_ms BIGINT NOT NULL,
    owner TEXT NOT NULL,
    claim BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    last_attempt_ms BIGINT,
    response_status BIGINT,
    log TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES integration_events (tenant_id, id)
);
CREATE INDEX integration_deliveries_due ON integration_deliveries (tenant_id, event_id, due_ms, id) WHERE status = 'pending';
CREATE INDEX integration_deliveries_created ON integration_deliveries (tenant_id, event_id, created_ms, id);
CREATE INDEX integration_deliveries_old ON integration_deliveries (created_ms) WHERE status <> 'pending';

-- What a delivery sends: rendered once, when the action committed, and never changed.
CREATE TABLE integration_messages (
    tenant_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    method TEXT NOT NULL,
    target TEXT NOT NULL,
    headers TEXT NOT NULL,
    body TEXT NOT NULL,
    about TEXT NOT NULL,
    PRIMARY KEY (tenant_id, delivery_id),
    FOREIGN KEY (tenant_id, delivery_id) REFERENCES integration_deliveries (tenant_id, id)
);
