-- Runs are searched across the jobs of a tenant: in the order of their due times, and by what few of them have.
CREATE INDEX job_runs_due ON job_runs (tenant_id, due_ms, id);
CREATE INDEX job_runs_state ON job_runs (tenant_id, state, due_ms, id);
CREATE INDEX job_runs_runner ON job_runs (tenant_id, runner, due_ms, id) WHERE runner <> '';
