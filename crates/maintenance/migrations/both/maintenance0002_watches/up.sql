-- When each window is to be looked at next, because it opens or closes then. `seq` counts whoever wrote the row, so that only one
-- of several gateways tells of what it found; `looked_ms` is when that was last, `open_ms` since when the window was open then, null
-- when it was not. What is older than this table has not been looked at (`looked_ms` null), and is told of from its next change on.
CREATE TABLE maintenance_watches (
    tenant_id TEXT COLLATE "C" NOT NULL,
    window_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    due_ms BIGINT,
    looked_ms BIGINT,
    open_ms BIGINT,
    PRIMARY KEY (tenant_id, window_id)
);
CREATE INDEX maintenance_watches_due ON maintenance_watches (due_ms, tenant_id, window_id) WHERE due_ms IS NOT NULL;
INSERT INTO maintenance_watches (tenant_id, window_id, seq, due_ms, looked_ms, open_ms)
    SELECT tenant_id, id, 0, 0, NULL, NULL FROM maintenance_windows;
