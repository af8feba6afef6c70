ALTER TABLE tenants DROP COLUMN terminated;
