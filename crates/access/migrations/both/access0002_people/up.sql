-- What people are found and sorted by, without regard to letter case.
ALTER TABLE users ADD COLUMN first_fold TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN last_fold TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN email_fold TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE users SET
    first_fold = lower(coalesce(first_name, '')),
    last_fold = lower(coalesce(last_name, '')),
    email_fold = lower(coalesce(email, ''));

-- Groups of people, of the tenant and of its partner. `updated_ms` is null before the first update.
CREATE TABLE user_groups (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_fold TEXT COLLATE "C" NOT NULL,
    description TEXT NOT NULL,
    activated BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX user_groups_by_id ON user_groups (id);
CREATE UNIQUE INDEX user_groups_by_name ON user_groups (tenant_id, name_fold);

CREATE TABLE user_group_members (
    tenant_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    user_tenant_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, group_id, user_id),
    FOREIGN KEY (tenant_id, group_id) REFERENCES user_groups (tenant_id, id),
    FOREIGN KEY (user_tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX user_group_members_by_user ON user_group_members (user_tenant_id, user_id);

-- With which of its key's secrets a token was got: the start of that secret's hash. A token dies with its secret.
ALTER TABLE tokens ADD COLUMN secret_mark TEXT NOT NULL DEFAULT '';
