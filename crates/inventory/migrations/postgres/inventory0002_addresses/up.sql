-- The addresses of network cards, so that whoever knows a machine by one finds it: `ip:` and its sortable key, or `mac:`
-- and lower case pairs with colons. The machine's own `ipAddress` is a column of `resources`.
CREATE TABLE resource_addresses (
    tenant_id TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    resource_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, address, resource_id)
);
