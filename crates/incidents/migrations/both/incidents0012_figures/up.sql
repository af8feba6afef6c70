-- When somebody acknowledged an alert first, whether or not that holds; of alerts from before, what is known of it (the
-- backfill alerts-acknowledged).
ALTER TABLE alerts ADD COLUMN acknowledged_ms BIGINT;
