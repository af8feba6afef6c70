-- Holiday calendars. With a `url`, their days are read from there when that is due.
CREATE TABLE roster_holiday_calendars (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    url TEXT COLLATE "C",
    due_ms BIGINT,
    read_ms BIGINT,
    error TEXT,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX roster_holiday_calendars_name ON roster_holiday_calendars (tenant_id, name_key);
CREATE INDEX roster_holiday_calendars_due ON roster_holiday_calendars (tenant_id, due_ms, id) WHERE due_ms IS NOT NULL;

-- Their days, as numbers of days after 1970-01-01, and since when until when each was known to be a holiday:
-- `known_until_ms` is null while it is. A calendar that was deleted has a past here.
CREATE TABLE roster_holidays (
    tenant_id TEXT COLLATE "C" NOT NULL,
    calendar_id TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    known_from_ms BIGINT NOT NULL,
    known_until_ms BIGINT,
    name TEXT NOT NULL,
    PRIMARY KEY (tenant_id, calendar_id, day, known_from_ms)
);
CREATE INDEX roster_holidays_known ON roster_holidays (tenant_id, known_until_ms);

-- Whose holidays they are: `owner_id` is that of a user or a user group.
CREATE TABLE roster_holiday_owners (
    tenant_id TEXT COLLATE "C" NOT NULL,
    calendar_id TEXT COLLATE "C" NOT NULL,
    owner_id TEXT COLLATE "C" NOT NULL,
    known_from_ms BIGINT NOT NULL,
    known_until_ms BIGINT,
    PRIMARY KEY (tenant_id, calendar_id, owner_id, known_from_ms)
);
CREATE INDEX roster_holiday_owners_owner ON roster_holiday_owners (tenant_id, owner_id);
CREATE INDEX roster_holiday_owners_known ON roster_holiday_owners (tenant_id, known_until_ms);

-- The calendars of a shift as a JSON object; null where it has none.
ALTER TABLE roster_shifts ADD COLUMN holidays TEXT COLLATE "C";
CREATE INDEX roster_shifts_holidays ON roster_shifts (tenant_id) WHERE holidays IS NOT NULL;
