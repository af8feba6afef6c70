-- The inventory. `_ms` columns are milliseconds since the epoch; `_key` columns are folded for case-insensitive
-- matching; a column that is NULL when absent has an index of the rows that have it. What lists are sorted by is never
-- NULL: an address that is absent is empty.
CREATE TABLE resources (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version BIGINT NOT NULL,
    type TEXT NOT NULL,
    resource_type_id BIGINT NOT NULL,
    resource_type TEXT NOT NULL,
    resource_type_key TEXT NOT NULL,
    state TEXT NOT NULL,
    name TEXT NOT NULL,
    host_name TEXT NOT NULL,
    ip_address TEXT NOT NULL,
    alias_name TEXT NOT NULL,
    resource_name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    host_key TEXT NOT NULL,
    dns_key TEXT NOT NULL,
    resource_key TEXT NOT NULL,
    alias_key TEXT NOT NULL,
    ip_key TEXT NOT NULL,
    ext_key TEXT,
    serial_key TEXT,
    uid_key TEXT,
    site_id BIGINT,
    template_key TEXT,
    agent_profile_key TEXT,
    gateway_profile_key TEXT,
    installed_intg_key TEXT,
    agent_installed BOOLEAN NOT NULL,
    instance_id_key TEXT,
    account_number_key TEXT,
    provider_key TEXT,
    owner_key TEXT,
    instance_type_key TEXT,
    instance_state_key TEXT,
    zone_key TEXT,
    region_key TEXT,
    ami_key TEXT,
    hosted_service_key TEXT,
    launch_ms BIGINT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    asset_managed_ms BIGINT,
    first_asset_managed_ms BIGINT,
    decommissioned_ms BIGINT,
    document TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX resources_state ON resources (tenant_id, state);
CREATE INDEX resources_type ON resources (tenant_id, type);
CREATE INDEX resources_resource_type ON resources (tenant_id, resource_type_key);
CREATE INDEX resources_resource_type_id ON resources (tenant_id, resource_type_id);
CREATE INDEX resources_name ON resources (tenant_id, name_key, id);
CREATE INDEX resources_host ON resources (tenant_id, host_key, id);
CREATE INDEX resources_resource ON resources (tenant_id, resource_key, id);
CREATE INDEX resources_ip ON resources (tenant_id, ip_key, id);
CREATE INDEX resources_ext ON resources (tenant_id, ext_key) WHERE ext_key IS NOT NULL;
CREATE INDEX resources_serial ON resources (tenant_id, serial_key) WHERE serial_key IS NOT NULL;
CREATE INDEX resources_uid ON resources (tenant_id, uid_key) WHERE uid_key IS NOT NULL;
CREATE INDEX resources_site ON resources (tenant_id, site_id) WHERE site_id IS NOT NULL;
CREATE INDEX resources_template ON resources (tenant_id, template_key) WHERE template_key IS NOT NULL;
CREATE INDEX resources_agent_profile ON resources (tenant_id, agent_profile_key) WHERE agent_profile_key IS NOT NULL;
CREATE INDEX resources_gateway_profile ON resources (tenant_id, gateway_profile_key) WHERE gateway_profile_key IS NOT NULL;
CREATE INDEX resources_installed_intg ON resources (tenant_id, installed_intg_key) WHERE installed_intg_key IS NOT NULL;
CREATE INDEX resources_agent ON resources (tenant_id, agent_installed);
CREATE INDEX resources_instance_id ON resources (tenant_id, instance_id_key) WHERE instance_id_key IS NOT NULL;
CREATE INDEX resources_account ON resources (tenant_id, account_number_key) WHERE account_number_key IS NOT NULL;
CREATE INDEX resources_provider ON resources (tenant_id, provider_key) WHERE provider_key IS NOT NULL;
CREATE INDEX resources_owner ON resources (tenant_id, owner_key) WHERE owner_key IS NOT NULL;
CREATE INDEX resources_instance_type ON resources (tenant_id, instance_type_key) WHERE instance_type_key IS NOT NULL;
CREATE INDEX resources_zone ON resources (tenant_id, zone_key) WHERE zone_key IS NOT NULL;
CREATE INDEX resources_region ON resources (tenant_id, region_key) WHERE region_key IS NOT NULL;
CREATE INDEX resources_ami ON resources (tenant_id, ami_key) WHERE ami_key IS NOT NULL;
CREATE INDEX resources_hosted_service ON resources (tenant_id, hosted_service_key) WHERE hosted_service_key IS NOT NULL;
CREATE INDEX resources_launch ON resources (tenant_id, launch_ms) WHERE launch_ms IS NOT NULL;
CREATE INDEX resources_created ON resources (tenant_id, created_ms, id);
CREATE INDEX resources_updated ON resources (tenant_id, updated_ms, id);
CREATE INDEX resources_asset_managed ON resources (tenant_id, asset_managed_ms) WHERE asset_managed_ms IS NOT NULL;
CREATE INDEX resources_first_managed ON resources (tenant_id, first_asset_managed_ms) WHERE first_asset_managed_ms IS NOT NULL;
CREATE INDEX resources_decommissioned ON resources (tenant_id, decommissioned_ms, id) WHERE decommissioned_ms IS NOT NULL;

-- Every suffix of every name of a resource, so that "contains" is a range of this key: its cost follows the number
-- of matches and not the number of resources. `fields` says in which names the suffix occurs, and which it is whole.
CREATE TABLE resource_names (
    tenant_id TEXT NOT NULL,
    suffix TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    fields BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, suffix, resource_id)
) WITHOUT ROWID;

CREATE TABLE resource_tags (
    tenant_id TEXT NOT NULL,
    name_key TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, name_key, resource_id)
) WITHOUT ROWID;

CREATE TABLE resource_app_roles (
    tenant_id TEXT NOT NULL,
    role TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, role, resource_id)
) WITHOUT ROWID;

-- What a machine is known by: agent device id, system UUID, cloud instance, serial number, MAC addresses.
CREATE TABLE resource_identities (
    tenant_id TEXT NOT NULL,
    identity TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, identity)
) WITHOUT ROWID;
CREATE INDEX resource_identities_resource ON resource_identities (tenant_id, resource_id);

CREATE TABLE resource_types (
    tenant_id TEXT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX resource_types_name ON resource_types (tenant_id, name_key);

CREATE TABLE applications (
    tenant_id TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    vendor TEXT NOT NULL,
    version TEXT NOT NULL,
    installed_ms BIGINT,
    created_ms BIGINT NOT NULL,
    modified_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, resource_id, id)
) WITHOUT ROWID;

CREATE TABLE antivirus (
    tenant_id TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    definition TEXT NOT NULL,
    definition_ms BIGINT,
    scan_ms BIGINT NOT NULL,
    supported BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (tenant_id, resource_id, id)
);
CREATE INDEX antivirus_scan ON antivirus (tenant_id, scan_ms, resource_id, id);
CREATE INDEX antivirus_status ON antivirus (tenant_id, status, scan_ms, resource_id, id);

CREATE TABLE sites (
    tenant_id TEXT NOT NULL,
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL,
    address TEXT NOT NULL,
    city TEXT NOT NULL,
    country TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX sites_name ON sites (tenant_id, name_key);

-- Device groups and service groups. `rules` is the JSON of a dynamic group's filter criteria.
CREATE TABLE resource_groups (
    tenant_id TEXT NOT NULL,
    id BIGINT NOT NULL,
    unique_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL,
    parent_id BIGINT,
    rules TEXT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX resource_groups_name ON resource_groups (tenant_id, kind, name_key);
CREATE UNIQUE INDEX resource_groups_unique_id ON resource_groups (tenant_id, unique_id);
CREATE INDEX resource_groups_dynamic ON resource_groups (tenant_id) WHERE rules IS NOT NULL;
CREATE INDEX resource_groups_parent ON resource_groups (tenant_id, parent_id) WHERE parent_id IS NOT NULL;

-- `by_rule` members come and go with the group's filter criteria; the others were added by hand. `tenant_id` is the
-- resource's.
CREATE TABLE group_members (
    tenant_id TEXT NOT NULL,
    group_id BIGINT NOT NULL,
    resource_id TEXT NOT NULL,
    by_rule BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, group_id, resource_id)
) WITHOUT ROWID;
CREATE INDEX group_members_resource ON group_members (tenant_id, resource_id);

-- Fixed planner statistics: how many rows one value of an index has at a million resources, on the low side: whoever
-- filters means few, and for those the filter's index is better than walking a sorted one. The plan of a query must
-- not depend on when somebody last ran ANALYZE; without these SQLite may walk all of a tenant's active resources for
-- a serial number.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('resources', 'resources_state', '1000000 100000 300000'),
    ('resources', 'resources_type', '1000000 100000 2000'),
    ('resources', 'resources_resource_type', '1000000 100000 1000'),
    ('resources', 'resources_resource_type_id', '1000000 100000 1000'),
    ('resources', 'resources_name', '1000000 100000 2 1'),
    ('resources', 'resources_host', '1000000 100000 2 1'),
    ('resources', 'resources_resource', '1000000 100000 2 1'),
    ('resources', 'resources_ip', '1000000 100000 2 1'),
    ('resources', 'resources_ext', '1000000 100000 2'),
    ('resources', 'resources_serial', '1000000 100000 2'),
    ('resources', 'resources_uid', '1000000 100000 2'),
    ('resources', 'resources_site', '1000000 100000 10'),
    ('resources', 'resources_template', '1000000 100000 10'),
    ('resources', 'resources_agent_profile', '1000000 100000 10'),
    ('resources', 'resources_gateway_profile', '1000000 100000 10'),
    ('resources', 'resources_installed_intg', '1000000 100000 10'),
    ('resources', 'resources_agent', '1000000 100000 300000'),
    ('resources', 'resources_instance_id', '1000000 100000 2'),
    ('resources', 'resources_account', '1000000 100000 10'),
    ('resources', 'resources_provider', '1000000 100000 10'),
    ('resources', 'resources_owner', '1000000 100000 10'),
    ('resources', 'resources_instance_type', '1000000 100000 10'),
    ('resources', 'resources_zone', '1000000 100000 10'),
    ('resources', 'resources_region', '1000000 100000 10'),
    ('resources', 'resources_ami', '1000000 100000 10'),
    ('resources', 'resources_hosted_service', '1000000 100000 10'),
    ('resources', 'resources_launch', '1000000 100000 2'),
    ('resources', 'resources_created', '1000000 100000 2 1'),
    ('resources', 'resources_updated', '1000000 100000 2 1'),
    ('resources', 'resources_asset_managed', '1000000 100000 2'),
    ('resources', 'resources_first_managed', '1000000 100000 2'),
    ('resources', 'resources_decommissioned', '1000000 100000 2 1'),
    ('resources', 'sqlite_autoindex_resources_1', '1000000 100000 1'),
    ('resource_names', 'resource_names', '15000000 1500000 3 1'),
    ('resource_tags', 'resource_tags', '3000000 300000 2000 1'),
    ('resource_app_roles', 'resource_app_roles', '1000000 100000 2000 1'),
    ('group_members', 'group_members', '2000000 200000 500 1'),
    ('group_members', 'group_members_resource', '2000000 200000 2');
ANALYZE sqlite_schema;
