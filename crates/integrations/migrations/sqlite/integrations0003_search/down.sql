DROP INDEX integration_deliveries_about;
DROP INDEX integration_deliveries_entity;
DROP INDEX integration_deliveries_status;
DROP INDEX integration_deliveries_time;
ALTER TABLE integration_deliveries DROP COLUMN entity_id;
ALTER TABLE integration_deliveries DROP COLUMN action;
ALTER TABLE integration_deliveries DROP COLUMN entity;
