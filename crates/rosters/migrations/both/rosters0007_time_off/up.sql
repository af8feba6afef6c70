-- When people are away; the tenant is that of the person. `reason` is empty where none was given.
CREATE TABLE roster_time_off (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    reason TEXT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX roster_time_off_start ON roster_time_off (tenant_id, user_id, start_ms, id);
CREATE INDEX roster_time_off_age ON roster_time_off (tenant_id, end_ms);
