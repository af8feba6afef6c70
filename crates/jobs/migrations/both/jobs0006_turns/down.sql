DROP INDEX jobs_alarm;
ALTER TABLE jobs DROP COLUMN alarm_ms;
DROP INDEX job_runs_lease;
CREATE INDEX job_runs_lease ON job_runs (lease_ms) WHERE finished_ms IS NULL;
DROP INDEX jobs_turn;
