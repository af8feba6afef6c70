-- Deliveries are kept in partitions by month; their ids begin with the time.
-- statement by statement
SELECT limit_to_first_partition('integration_deliveries', 'id', 'DLV-');
SELECT check_first_partition('integration_deliveries');
SELECT partition_by_month('integration_deliveries', 'id', 'DLV-');
SELECT check_references('integration_deliveries');
