-- The trace that an event belongs to, as `traces::Context` writes it; null for none.
ALTER TABLE outbox_events ADD COLUMN trace TEXT;
