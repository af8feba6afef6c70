DROP FUNCTION check_references(text);
DROP FUNCTION partition_by_month(text, text, text);
DROP FUNCTION check_first_partition(text);
DROP FUNCTION limit_to_first_partition(text, text, text);
DROP FUNCTION first_of_month(text, timestamptz);
