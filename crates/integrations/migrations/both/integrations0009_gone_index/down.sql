DROP INDEX IF EXISTS integration_events_gone;
