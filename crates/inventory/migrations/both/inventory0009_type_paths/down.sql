-- Several types may have one name by now.
SELECT 1;
