-- Which API key claimed a run: nobody else speaks for it. Empty for what was claimed before there was this column.
ALTER TABLE job_runs ADD COLUMN runner_key TEXT NOT NULL DEFAULT '';

-- When a job of a suspended tenant was due; null when nothing holds it.
ALTER TABLE jobs ADD COLUMN held_ms BIGINT;
CREATE INDEX jobs_held ON jobs (tenant_id, id) WHERE held_ms IS NOT NULL;

-- `jobQueued` as it was given; null when it was not.
ALTER TABLE jobs ADD COLUMN job_queued BOOLEAN;

-- What kind of thing a client called a resource of a job.
ALTER TABLE job_resources ADD COLUMN kind TEXT NOT NULL DEFAULT 'DEVICE';
