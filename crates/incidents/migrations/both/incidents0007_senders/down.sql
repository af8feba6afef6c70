DROP TABLE open_alerts;
ALTER TABLE alerts DROP COLUMN sender;
