-- The versions of the people of many tenants are added up, of each tenant, at each question that depends on them.
CREATE INDEX users_versions ON users (tenant_id, version);
CREATE INDEX user_groups_versions ON user_groups (tenant_id, version);
