-- "Contains" looks at all names of a tenant, side by side: in memory (crates/inventory/src/resources/sets/names.rs), or in an
-- index of a column where they are not there yet. The suffixes of every name were most of a database.
DROP TABLE resource_names;
CREATE INDEX resources_dns ON resources (tenant_id, dns_key, id) WHERE dns_key <> '';
CREATE INDEX resources_alias ON resources (tenant_id, alias_key, id) WHERE alias_key <> '';
