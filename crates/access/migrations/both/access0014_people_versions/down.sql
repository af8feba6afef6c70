DROP INDEX user_groups_versions;
DROP INDEX users_versions;
