-- How many migrations the program knew that began a backfill; 0 for one that is not done again. One process writes to
-- this database, so no other leaves out what is new.
ALTER TABLE backfills ADD COLUMN known BIGINT NOT NULL DEFAULT 0;
