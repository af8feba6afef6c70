-- What is due is looked for tenant by tenant.
CREATE INDEX jobs_turn ON jobs (tenant_id, next_due_ms, id) WHERE next_due_ms IS NOT NULL;
DROP INDEX job_runs_lease;
CREATE INDEX job_runs_lease ON job_runs (tenant_id, lease_ms) WHERE finished_ms IS NULL AND lease_ms IS NOT NULL;

-- When alerts are to be told again what became of the last run, since they could not be; null once they were.
ALTER TABLE jobs ADD COLUMN alarm_ms BIGINT;
CREATE INDEX jobs_alarm ON jobs (tenant_id, alarm_ms, id) WHERE alarm_ms IS NOT NULL;
