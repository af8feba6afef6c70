CREATE UNIQUE INDEX job_runs_id ON job_runs (tenant_id, id);
DROP INDEX job_runs_by_id;
