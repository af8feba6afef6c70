ALTER TABLE tokens DROP COLUMN secret_mark;
DROP TABLE user_group_members;
DROP TABLE user_groups;
ALTER TABLE users DROP COLUMN email_fold;
ALTER TABLE users DROP COLUMN last_fold;
ALTER TABLE users DROP COLUMN first_fold;
