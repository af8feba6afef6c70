DROP INDEX alerts_acknowledged;
ALTER TABLE alerts DROP COLUMN acknowledged_by;
