-- Alerts are kept in partitions by month; their ids begin with the time.
-- statement by statement
SELECT limit_to_first_partition('alerts', 'id', 'ALT-');
SELECT check_first_partition('alerts');
SELECT partition_by_month('alerts', 'id', 'ALT-');
