-- Since when somebody is in a group: 0 for always.
ALTER TABLE user_group_members ADD COLUMN since_ms BIGINT NOT NULL DEFAULT 0;

-- What people and groups were until `until_ms`, when they changed. Whoever never changed has no rows here.
CREATE TABLE former_users (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    login_name TEXT NOT NULL,
    first_name TEXT,
    last_name TEXT,
    email TEXT,
    phone_number TEXT,
    mobile_number TEXT,
    activated BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, id, until_ms)
);
CREATE INDEX former_users_age ON former_users (tenant_id, until_ms);

CREATE TABLE former_user_groups (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    activated BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, id, until_ms)
);
CREATE INDEX former_user_groups_age ON former_user_groups (tenant_id, until_ms);

CREATE TABLE former_members (
    tenant_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    since_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, group_id, user_id, until_ms)
);
CREATE INDEX former_members_age ON former_members (tenant_id, until_ms);
