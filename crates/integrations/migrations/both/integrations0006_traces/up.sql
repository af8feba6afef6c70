-- The trace that a delivery belongs to, as `traces::Context` writes it; null for none.
ALTER TABLE integration_messages ADD COLUMN trace TEXT;
