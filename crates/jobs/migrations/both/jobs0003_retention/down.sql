DROP INDEX job_runs_age;
CREATE INDEX job_runs_finished ON job_runs (finished_ms) WHERE finished_ms IS NOT NULL;
