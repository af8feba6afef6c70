-- Several types may have one name, so the index is not unique again.
DROP INDEX IF EXISTS resource_types_name;
CREATE INDEX resource_types_name ON resource_types (tenant_id, name_key);
DROP INDEX IF EXISTS resource_types_by_name;
