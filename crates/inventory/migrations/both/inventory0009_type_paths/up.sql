-- Types are told apart by their paths: several may have one name (crates/inventory/src/types.rs). An index that was cut
-- off while it was made is dropped.
DROP INDEX CONCURRENTLY IF EXISTS resource_types_by_name;
CREATE INDEX CONCURRENTLY resource_types_by_name ON resource_types (tenant_id, name_key);
DROP INDEX CONCURRENTLY IF EXISTS resource_types_name;
