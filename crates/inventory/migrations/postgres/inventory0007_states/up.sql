-- Every list asks for a state. With the id in it, the index alone tells which resources are meant, and no row is looked at.
DROP INDEX IF EXISTS resources_state;
CREATE INDEX resources_state ON resources (tenant_id, state, id);
