-- The addresses of network cards, so that whoever knows a machine by one finds it: `ip:` and its sortable key, or `mac:`
-- and lower case pairs with colons. The machine's own `ipAddress` is a column of `resources`.
CREATE TABLE resource_addresses (
    tenant_id TEXT NOT NULL,
    address TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, address, resource_id)
) WITHOUT ROWID;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('resource_addresses', 'resource_addresses', '4000000 400000 2 1');
ANALYZE sqlite_schema;
