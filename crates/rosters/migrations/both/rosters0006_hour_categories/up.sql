-- Where the categories of hours on call begin, of tenants that say so: times of day as HH:mm:ss, and names of weekdays
-- separated by commas.
CREATE TABLE roster_hour_categories (
    tenant_id TEXT COLLATE "C" NOT NULL,
    working_from TEXT COLLATE "C" NOT NULL,
    evening_from TEXT COLLATE "C" NOT NULL,
    night_from TEXT COLLATE "C" NOT NULL,
    weekend_days TEXT COLLATE "C" NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id)
);
