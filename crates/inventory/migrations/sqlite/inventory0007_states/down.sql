DROP INDEX resources_state;
CREATE INDEX resources_state ON resources (tenant_id, state);
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('resources', 'resources_state', '1000000 100000 300000');
ANALYZE sqlite_schema;
