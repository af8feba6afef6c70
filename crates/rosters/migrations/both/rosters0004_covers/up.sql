-- Requests for cover. `asked` is a JSON array of the ids of users, empty for everybody; `state` is OPEN, ACCEPTED, WITHDRAWN or
-- DECLINED, which `answered_by` did; of one that was accepted `override_id` is what came of it.
CREATE TABLE roster_covers (
    tenant_id TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    shift_id TEXT COLLATE "C",
    asked TEXT COLLATE "C" NOT NULL,
    note TEXT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    answered_by TEXT COLLATE "C" NOT NULL,
    answered_ms BIGINT,
    override_id TEXT COLLATE "C",
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, roster_id, id)
);
CREATE INDEX roster_covers_start ON roster_covers (tenant_id, roster_id, start_ms, id);
CREATE INDEX roster_covers_age ON roster_covers (tenant_id, end_ms);
