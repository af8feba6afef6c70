-- How the integration reports alerts: the kind of its credentials and the id of what they belong to, as JSON.
ALTER TABLE integrations ADD COLUMN inbound TEXT;
