-- To find the set of a row of the audit log.
CREATE INDEX change_set_parts_rows ON change_set_parts (owner_id, at_ms);
