-- Who takes turns in a shift (JSON), and whether it is called first; null where nothing was said.
ALTER TABLE roster_shifts ADD COLUMN rotation TEXT COLLATE "C";
ALTER TABLE roster_shifts ADD COLUMN level TEXT COLLATE "C";

-- Whom an override relieves, when it is about one person; with which others it was made as a swap.
ALTER TABLE roster_overrides ADD COLUMN replaces TEXT COLLATE "C";
ALTER TABLE roster_overrides ADD COLUMN swap_id TEXT COLLATE "C";

-- A deleted roster has a past: it stays, without its name.
ALTER TABLE rosters ADD COLUMN deleted_ms BIGINT;
DROP INDEX rosters_name;
CREATE UNIQUE INDEX rosters_name ON rosters (tenant_id, name_key) WHERE deleted_ms IS NULL;
CREATE INDEX rosters_deleted ON rosters (tenant_id, deleted_ms) WHERE deleted_ms IS NOT NULL;

-- The versions of rosters: a roster is as it is from `valid_from_ms` on and until `valid_until_ms`, which is null for the
-- last version. `rosters` has what the last one has.
CREATE TABLE roster_versions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    valid_from_ms BIGINT NOT NULL,
    valid_until_ms BIGINT,
    name TEXT COLLATE "C" NOT NULL,
    zone TEXT COLLATE "C" NOT NULL,
    off_hours TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, roster_id, valid_from_ms),
    FOREIGN KEY (tenant_id, roster_id) REFERENCES rosters (tenant_id, id)
);
INSERT INTO roster_versions (tenant_id, roster_id, valid_from_ms, valid_until_ms, name, zone, off_hours)
SELECT tenant_id, id, 0, NULL, name, zone, off_hours FROM rosters;
