DROP TABLE gateways;
DROP TABLE backfills;
ALTER TABLE __diesel_schema_migrations DROP COLUMN oldest_program;
