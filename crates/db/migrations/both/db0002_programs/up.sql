-- Which version of the program brought a migration. An older program that finds one which it does not know names that
-- version. Null for what was there before this.
ALTER TABLE __diesel_schema_migrations ADD COLUMN program TEXT;
