DROP INDEX resources_state;
CREATE INDEX resources_state ON resources (tenant_id, state);
