-- Pages are kept in partitions by month.
-- statement by statement
SELECT fill_page_keys();
SELECT key_pages_by_time();
SELECT limit_to_first_partition('pages', 'created_ms', '');
SELECT check_first_partition('pages');
SELECT partition_by_month('pages', 'created_ms', '');
