-- The trace that a run belongs to, as `traces::Context` writes it; null for none.
ALTER TABLE job_runs ADD COLUMN trace TEXT;
