-- Maintenance windows. `_ms` columns are milliseconds since the epoch; `name_key` is folded. `schedule`, `holds` (what was
-- said of its occurrences since: suspended, skipped, extended, ended) and `conditions` (rules for alerts) are JSON. No
-- occurrence lies before `opens_ms` or after `closes_ms`; whether a window is open is worked out from the rest.
CREATE TABLE maintenance_windows (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    description TEXT NOT NULL,
    schedule TEXT NOT NULL,
    holds TEXT NOT NULL,
    conditions TEXT,
    run_rba BOOLEAN NOT NULL,
    install_patch BOOLEAN NOT NULL,
    run_escalation BOOLEAN NOT NULL,
    opens_ms BIGINT NOT NULL,
    closes_ms BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX maintenance_windows_name ON maintenance_windows (tenant_id, name_key, id);
CREATE INDEX maintenance_windows_created ON maintenance_windows (tenant_id, created_ms, id);
CREATE INDEX maintenance_windows_closes ON maintenance_windows (tenant_id, closes_ms);

-- What a window covers: a resource (its id), a device group or a site (its number), of the window's tenant or of a client
-- of it. They are looked up by what a resource is in, so `closes_ms` is here too: windows of the past cost nothing.
CREATE TABLE maintenance_targets (
    tenant_id TEXT COLLATE "C" NOT NULL,
    window_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    target_tenant TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    closes_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, window_id, kind, target_tenant, target),
    FOREIGN KEY (tenant_id, window_id) REFERENCES maintenance_windows (tenant_id, id)
);
CREATE INDEX maintenance_targets_target ON maintenance_targets (tenant_id, kind, target, closes_ms);

-- The addresses of calendars: whoever has the token, of which the hash is here, reads the window's occurrences.
CREATE TABLE maintenance_calendars (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    window_id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, window_id) REFERENCES maintenance_windows (tenant_id, id)
);
CREATE INDEX maintenance_calendars_window ON maintenance_calendars (tenant_id, window_id, created_ms, id);
