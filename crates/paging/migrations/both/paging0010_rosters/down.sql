ALTER TABLE pages DROP COLUMN roster_id;
ALTER TABLE pages DROP COLUMN roster_tenant;
