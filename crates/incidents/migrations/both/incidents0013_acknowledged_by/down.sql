ALTER TABLE alerts DROP COLUMN acknowledged_by;
