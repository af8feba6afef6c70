-- History by when an instance was launched, and the instances of it. An index of all launch dates, or of all of history,
-- is walked past what is not both.
CREATE INDEX resources_history_launch ON resources (tenant_id, launch_ms) WHERE launch_ms IS NOT NULL AND decommissioned_ms IS NOT NULL;
CREATE INDEX resources_history_cloud ON resources (tenant_id, decommissioned_ms, id) WHERE decommissioned_ms IS NOT NULL AND instance_id_key IS NOT NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('resources', 'resources_history_launch', '100000 10000 2'),
    ('resources', 'resources_history_cloud', '100000 10000 2 1');
ANALYZE sqlite_schema;
