-- Types are told apart by their paths: several may have one name (crates/inventory/src/types.rs).
DROP INDEX resource_types_name;
CREATE INDEX resource_types_name ON resource_types (tenant_id, name_key);
