-- Who asks for a type by its number asks for its name as well, which has an index (crates/inventory/src/types.rs).
DROP INDEX IF EXISTS resources_resource_type_id;
