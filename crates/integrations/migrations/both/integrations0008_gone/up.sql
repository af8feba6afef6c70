-- What was deleted and has deliveries left, which are removed a few at a time: nothing shows it any more.
ALTER TABLE integrations ADD COLUMN gone BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integration_events ADD COLUMN gone BOOLEAN NOT NULL DEFAULT FALSE;
