ALTER TABLE roster_watches DROP COLUMN uncovered;
