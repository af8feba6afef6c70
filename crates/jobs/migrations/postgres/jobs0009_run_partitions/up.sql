-- Runs are kept in partitions by month.
-- statement by statement
SELECT limit_to_first_partition('job_runs', 'due_ms', '');
SELECT check_first_partition('job_runs');
SELECT partition_by_month('job_runs', 'due_ms', '');
