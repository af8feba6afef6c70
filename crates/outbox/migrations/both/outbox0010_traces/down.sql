ALTER TABLE outbox_events DROP COLUMN trace;
