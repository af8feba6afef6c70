-- Since when somebody is in a group: 0 for always.
ALTER TABLE user_group_members ADD COLUMN since_ms BIGINT NOT NULL DEFAULT 0;

-- What people and groups were until `until_ms`, when they changed. Whoever never changed has no rows here.
CREATE TABLE former_users (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    until_ms BIGINT NOT NULL,
    login_name TEXT COLLATE "C" NOT NULL,
    first_name TEXT COLLATE "C",
    last_name TEXT COLLATE "C",
    email TEXT COLLATE "C",
    phone_number TEXT COLLATE "C",
    mobile_number TEXT COLLATE "C",
    activated BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, id, until_ms)
);
CREATE INDEX former_users_age ON former_users (tenant_id, until_ms);

CREATE TABLE former_user_groups (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    until_ms BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    activated BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, id, until_ms)
);
CREATE INDEX former_user_groups_age ON former_user_groups (tenant_id, until_ms);

CREATE TABLE former_members (
    tenant_id TEXT COLLATE "C" NOT NULL,
    group_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    since_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, group_id, user_id, until_ms)
);
CREATE INDEX former_members_age ON former_members (tenant_id, until_ms);
