DROP TRIGGER gateways_reopen_backfills ON gateways;
DROP FUNCTION reopen_backfills();
ALTER TABLE backfills DROP COLUMN known;
