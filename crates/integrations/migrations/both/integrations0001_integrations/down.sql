DROP TABLE integration_messages;
DROP TABLE integration_deliveries;
DROP TABLE integration_lanes;
DROP TABLE integration_revisions;
DROP TABLE integration_events;
DROP TABLE integrations;
