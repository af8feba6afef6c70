ALTER TABLE jobs DROP COLUMN alerting;
ALTER TABLE jobs DROP COLUMN alert_on_failure;
DROP INDEX jobs_frequent;
ALTER TABLE jobs DROP COLUMN frequent;
