-- The oldest program that may run beside the one that brought a migration: empty for any. Null for what was there
-- before this: an older program that does not know it does not start.
ALTER TABLE __diesel_schema_migrations ADD COLUMN oldest_program TEXT;
-- How far the gateways have come with filling what migrations added: behind which row to go on, how many rows were
-- looked at, and when.
CREATE TABLE backfills (
    name TEXT COLLATE "C" NOT NULL,
    cursor TEXT NOT NULL,
    done BIGINT NOT NULL,
    started_ms BIGINT NOT NULL,
    finished_ms BIGINT,
    PRIMARY KEY (name)
);
-- The gateways that run on this Postgres: their program, how many migrations it knows, and when each last said so.
CREATE TABLE gateways (
    id TEXT COLLATE "C" NOT NULL,
    program TEXT NOT NULL,
    known BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL,
    PRIMARY KEY (id)
);
