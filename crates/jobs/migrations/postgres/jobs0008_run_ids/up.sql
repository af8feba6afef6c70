-- An index of a table in partitions is unique where it has the column that says which partition a row is in. Ids of runs
-- are UUIDs: they are unique without one. An index that was cut off while it was made is dropped.
DROP INDEX CONCURRENTLY IF EXISTS job_runs_by_id;
CREATE INDEX CONCURRENTLY job_runs_by_id ON job_runs (tenant_id, id);
DROP INDEX CONCURRENTLY IF EXISTS job_runs_id;
