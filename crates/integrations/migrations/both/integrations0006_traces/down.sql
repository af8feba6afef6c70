ALTER TABLE integration_messages DROP COLUMN trace;
