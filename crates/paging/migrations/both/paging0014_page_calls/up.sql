-- When a page was last taken in hand to be sent as a message of its own.
ALTER TABLE pages ADD COLUMN called_ms BIGINT;
