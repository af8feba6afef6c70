ALTER TABLE __diesel_schema_migrations DROP COLUMN program;
