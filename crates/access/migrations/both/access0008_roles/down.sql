DROP INDEX api_keys_of_user;
ALTER TABLE api_keys DROP COLUMN personal;
ALTER TABLE users DROP COLUMN role;
