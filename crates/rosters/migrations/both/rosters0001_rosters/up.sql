-- Rosters. `_ms` columns are milliseconds since the epoch; `name_key` is folded. `updated_ms` is null before the first
-- update; `off_hours` is a JSON array. `sequence` and `modified_ms` tell calendars of every change, those of overrides
-- too.
CREATE TABLE rosters (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    zone TEXT COLLATE "C" NOT NULL,
    off_hours TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    sequence BIGINT NOT NULL,
    modified_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX rosters_name ON rosters (tenant_id, name_key);

-- The versions of shifts: a shift is as it is from `valid_from_ms` on and until `valid_until_ms`, which is null for the
-- present version. `schedule` and `crew` (the ids of users and groups) are JSON.
CREATE TABLE roster_shifts (
    tenant_id TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    valid_from_ms BIGINT NOT NULL,
    valid_until_ms BIGINT,
    position BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    zone TEXT COLLATE "C" NOT NULL,
    schedule TEXT COLLATE "C" NOT NULL,
    crew TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, roster_id, id, valid_from_ms),
    FOREIGN KEY (tenant_id, roster_id) REFERENCES rosters (tenant_id, id)
);

-- Overrides, numbered in the order in which they were made. One of a shift keeps the shift's name, zone and schedule as
-- they were then; the columns are null for one of the whole roster.
CREATE TABLE roster_overrides (
    tenant_id TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    shift_id TEXT COLLATE "C",
    shift_name TEXT COLLATE "C",
    zone TEXT COLLATE "C",
    schedule TEXT COLLATE "C",
    note TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, roster_id, id),
    FOREIGN KEY (tenant_id, roster_id) REFERENCES rosters (tenant_id, id)
);
CREATE INDEX roster_overrides_start ON roster_overrides (tenant_id, roster_id, start_ms, id);

-- Counts the changes to the rosters of a tenant.
CREATE TABLE roster_revisions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);

-- Addresses of calendars: of a token its SHA-256 alone is kept. `roster_id` or `user_id` says which calendar it opens.
CREATE TABLE roster_calendars (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C",
    user_id TEXT COLLATE "C",
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX roster_calendars_hash ON roster_calendars (tenant_id, hash);
