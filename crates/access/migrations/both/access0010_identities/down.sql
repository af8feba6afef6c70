DROP INDEX users_by_email;
DROP TABLE user_identities;
