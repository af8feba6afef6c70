-- Maintenance windows. `_ms` columns are milliseconds since the epoch; `name_key` is folded. `schedule`, `holds` (what was
-- said of its occurrences since: suspended, skipped, extended, ended) and `conditions` (rules for alerts) are JSON. No
-- occurrence lies before `opens_ms` or after `closes_ms`; whether a window is open is worked out from the rest.
CREATE TABLE maintenance_windows (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
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
    tenant_id TEXT NOT NULL,
    window_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    target_tenant TEXT NOT NULL,
    target TEXT NOT NULL,
    position BIGINT NOT NULL,
    closes_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, window_id, kind, target_tenant, target),
    FOREIGN KEY (tenant_id, window_id) REFERENCES maintenance_windows (tenant_id, id)
);
CREATE INDEX maintenance_targets_target ON maintenance_targets (tenant_id, kind, target, closes_ms);

-- The addresses of calendars: whoever has the token, of which the hash is here, reads the window's occurrences.
CREATE TABLE maintenance_calendars (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    window_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, window_id) REFERENCES maintenance_windows (tenant_id, id)
);
CREATE INDEX maintenance_calendars_window ON maintenance_calendars (tenant_id, window_id, created_ms, id);

-- Fixed planner statistics: the plan of a query must not depend on when somebody last ran ANALYZE.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('maintenance_windows', 'sqlite_autoindex_maintenance_windows_1', '100000 10000 1'),
    ('maintenance_windows', 'maintenance_windows_name', '100000 10000 2 1'),
    ('maintenance_windows', 'maintenance_windows_created', '100000 10000 2 1'),
    ('maintenance_windows', 'maintenance_windows_closes', '100000 10000 2'),
    ('maintenance_targets', 'sqlite_autoindex_maintenance_targets_1', '1000000 100000 10 5 5 1'),
    ('maintenance_targets', 'maintenance_targets_target', '1000000 100000 50000 10 2');
ANALYZE sqlite_schema;
