ALTER TABLE job_resources DROP COLUMN kind;
ALTER TABLE jobs DROP COLUMN job_queued;
DROP INDEX jobs_held;
ALTER TABLE jobs DROP COLUMN held_ms;
ALTER TABLE job_runs DROP COLUMN runner_key;
