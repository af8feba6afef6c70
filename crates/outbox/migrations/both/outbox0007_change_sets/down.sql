DROP TABLE change_set_objects;
DROP TABLE change_set_parts;
DROP TABLE change_sets;
