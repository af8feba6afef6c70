-- Alerts. `_ms` columns are milliseconds since the epoch, `_key` columns are folded; what nothing searches for stands in
-- `document`, as JSON. `suppression` is empty, `window` (while its window is open), `kept` (its window is over, and did
-- not want it escalated) or `person`. `window_tenant` and `window_id` name the window that made it a maintenance alert.
CREATE TABLE alerts (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    problem TEXT COLLATE "C" NOT NULL,
    resource_id TEXT COLLATE "C",
    host_key TEXT COLLATE "C" NOT NULL,
    subject_key TEXT COLLATE "C" NOT NULL,
    metric_key TEXT COLLATE "C" NOT NULL,
    service_key TEXT COLLATE "C" NOT NULL,
    monitor_key TEXT COLLATE "C" NOT NULL,
    app_key TEXT COLLATE "C" NOT NULL,
    component_key TEXT COLLATE "C" NOT NULL,
    type_key TEXT COLLATE "C" NOT NULL,
    ext_key TEXT COLLATE "C" NOT NULL,
    current_state TEXT COLLATE "C" NOT NULL,
    repeats BIGINT NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    acknowledged BOOLEAN NOT NULL,
    suppression TEXT COLLATE "C" NOT NULL,
    suppressed_until_ms BIGINT,
    closed_ms BIGINT,
    window_tenant TEXT COLLATE "C",
    window_id TEXT COLLATE "C",
    incident_id TEXT COLLATE "C",
    document TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX alerts_created ON alerts (tenant_id, created_ms, id);
CREATE INDEX alerts_updated ON alerts (tenant_id, updated_ms, id);
CREATE INDEX alerts_last ON alerts (tenant_id, last_ms, id);
CREATE INDEX alerts_resource ON alerts (tenant_id, resource_id, created_ms) WHERE resource_id IS NOT NULL;
CREATE INDEX alerts_incident ON alerts (tenant_id, incident_id) WHERE incident_id IS NOT NULL;
CREATE INDEX alerts_window ON alerts (tenant_id, window_tenant, window_id, id) WHERE suppression = 'window';
CREATE INDEX alerts_lapse ON alerts (suppressed_until_ms) WHERE suppression = 'person' AND suppressed_until_ms IS NOT NULL;

-- What alerts are about: one row for each problem that was ever reported, named by a hash. `alert_id` is the alert of the
-- problem, or the last one; empty when it was only ever said to be well. A report from before `settled_ms` is about what
-- is over.
CREATE TABLE alert_problems (
    tenant_id TEXT COLLATE "C" NOT NULL,
    problem TEXT COLLATE "C" NOT NULL,
    alert_id TEXT COLLATE "C" NOT NULL,
    is_open BOOLEAN NOT NULL,
    settled_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, problem)
);

-- The windows that hold back alerts of a tenant, until somebody has seen to what is left of them afterwards.
CREATE TABLE alert_windows (
    tenant_id TEXT COLLATE "C" NOT NULL,
    window_tenant TEXT COLLATE "C" NOT NULL,
    window_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    until_ms BIGINT NOT NULL,
    escalates BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, window_tenant, window_id)
);
