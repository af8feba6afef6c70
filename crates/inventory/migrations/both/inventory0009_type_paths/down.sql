-- Several types may have one name, so the index is not unique again.
DROP INDEX CONCURRENTLY IF EXISTS resource_types_name;
CREATE INDEX CONCURRENTLY resource_types_name ON resource_types (tenant_id, name_key);
DROP INDEX CONCURRENTLY IF EXISTS resource_types_by_name;
