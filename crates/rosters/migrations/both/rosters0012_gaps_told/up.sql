-- The stretches without anybody in a shift that were told of and are not over: a JSON array of objects with the id of the shift and
-- when the stretch begins, null in rows of the version before, which have when the last one begins in `warned_ms`.
ALTER TABLE roster_watches ADD COLUMN uncovered TEXT COLLATE "C";
