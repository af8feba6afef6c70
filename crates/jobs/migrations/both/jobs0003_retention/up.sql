-- What is old is looked for a tenant at a time.
DROP INDEX job_runs_finished;
CREATE INDEX job_runs_age ON job_runs (tenant_id, finished_ms) WHERE finished_ms IS NOT NULL;
