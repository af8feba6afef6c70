DROP TABLE former_members;
DROP TABLE former_user_groups;
DROP TABLE former_users;
ALTER TABLE user_group_members DROP COLUMN since_ms;
