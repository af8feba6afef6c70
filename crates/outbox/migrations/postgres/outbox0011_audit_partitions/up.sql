-- The audit log is kept in partitions by month.
-- statement by statement
SELECT limit_to_first_partition('audit_log', 'at_ms', '');
SELECT check_first_partition('audit_log');
SELECT partition_by_month('audit_log', 'at_ms', '');
