ALTER TABLE alerts DROP COLUMN acknowledged_ms;
