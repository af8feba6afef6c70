ALTER TABLE integration_events DROP COLUMN gone;
ALTER TABLE integrations DROP COLUMN gone;
