-- Who is told of the conflicts of a roster: a JSON object of the ids of users and groups, null for nobody.
ALTER TABLE rosters ADD COLUMN conflicts_to TEXT COLLATE "C";
-- When the rosters of each tenant are to be looked at next for conflicts. `seq` counts whoever wrote the row, so that only one of
-- several gateways tells of what it found; what changes a roster makes it due, though no sooner than `earliest_ms`.
CREATE TABLE roster_conflict_watches (
    tenant_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    earliest_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);
CREATE INDEX roster_conflict_watches_due ON roster_conflict_watches (due_ms, tenant_id);
INSERT INTO roster_conflict_watches (tenant_id, seq, due_ms, earliest_ms) SELECT tenant_id, 0, 0, 0 FROM roster_revisions;
-- The conflicts that were told and are not over. `subject` is a hash of all that makes a conflict another one but its time;
-- `people_told` says that those were told whom the roster names for that, beside subscribers of the event.
CREATE TABLE roster_conflicts_told (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    from_ms BIGINT NOT NULL,
    to_ms BIGINT NOT NULL,
    people_told BOOLEAN NOT NULL,
    told_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX roster_conflicts_told_age ON roster_conflicts_told (tenant_id, to_ms);
