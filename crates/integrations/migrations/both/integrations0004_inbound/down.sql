ALTER TABLE integrations DROP COLUMN inbound;
