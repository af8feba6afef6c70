-- Who acknowledged an alert first, by id, whether or not that holds; of alerts from before, what is known of it (the
-- backfill alerts-acknowledged).
ALTER TABLE alerts ADD COLUMN acknowledged_by TEXT COLLATE "C";
