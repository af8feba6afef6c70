DROP INDEX change_sets_undos;
ALTER TABLE change_sets DROP COLUMN undoes;
