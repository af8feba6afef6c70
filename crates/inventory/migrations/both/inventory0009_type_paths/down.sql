-- Several types may have one name, so the index stays as it is.
SELECT 1;
