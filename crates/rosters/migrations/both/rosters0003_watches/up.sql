-- When each roster is to be looked at next: when somebody hands over, or a few minutes after the last look, since people come and go.
-- `seq` counts whoever wrote the row, so that only one of several gateways tells of what it found. `on_call` is who was on call at the
-- last look, a JSON array of ids, null before the first; `warned_ms` is when the last stretch without anybody begins that was told of.
CREATE TABLE roster_watches (
    tenant_id TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    on_call TEXT COLLATE "C",
    warned_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, roster_id)
);
CREATE INDEX roster_watches_due ON roster_watches (due_ms, tenant_id, roster_id);
INSERT INTO roster_watches (tenant_id, roster_id, seq, due_ms, on_call, warned_ms)
    SELECT tenant_id, id, 0, 0, NULL, 0 FROM rosters WHERE deleted_ms IS NULL;
