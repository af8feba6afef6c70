ALTER TABLE backfills DROP COLUMN known;
