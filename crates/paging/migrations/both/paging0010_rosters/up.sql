-- The roster through which a person was told, and its tenant; empty for none, and in pages from before.
ALTER TABLE pages ADD COLUMN roster_tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE pages ADD COLUMN roster_id TEXT COLLATE "C" NOT NULL DEFAULT '';
