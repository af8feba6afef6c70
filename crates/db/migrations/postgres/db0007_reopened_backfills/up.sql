-- How many migrations the program knew that began a backfill; 0 for one that is not done again.
ALTER TABLE backfills ADD COLUMN known BIGINT NOT NULL DEFAULT 0;
-- A gateway that knows fewer stores rows without what is new. It says itself that it is there, so a backfill begins
-- again also when it comes late or was taken to be gone.
CREATE FUNCTION reopen_backfills() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE backfills SET cursor = '', done = 0, finished_ms = NULL
    WHERE known > NEW.known AND (cursor <> '' OR finished_ms IS NOT NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER gateways_reopen_backfills AFTER INSERT OR UPDATE ON gateways FOR EACH ROW
    EXECUTE FUNCTION reopen_backfills();
