-- Every list asks for a state. With the id in it, the index alone tells which resources are meant, and no row is looked at.
DROP INDEX resources_state;
CREATE INDEX resources_state ON resources (tenant_id, state, id);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('resources', 'resources_state', '1000000 100000 300000 1');
ANALYZE sqlite_schema;
