DROP INDEX change_set_parts_rows;
