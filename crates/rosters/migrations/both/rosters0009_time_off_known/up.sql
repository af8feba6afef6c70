-- Time off as it was until it was changed or deleted, for turns that began when it was known like that. One that is
-- removed because of its age stays here without an end, and without its reason.
CREATE TABLE roster_former_time_off (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    time_off_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    known_from_ms BIGINT NOT NULL,
    known_until_ms BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX roster_former_time_off_user ON roster_former_time_off (tenant_id, user_id);

-- Of each tenant how often the time off of its people changed.
CREATE TABLE roster_time_off_revisions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);
