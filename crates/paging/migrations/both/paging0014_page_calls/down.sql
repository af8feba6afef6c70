ALTER TABLE pages DROP COLUMN called_ms;
