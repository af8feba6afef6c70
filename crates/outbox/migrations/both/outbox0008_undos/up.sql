-- Which set a set undoes.
ALTER TABLE change_sets ADD COLUMN undoes TEXT;
CREATE INDEX change_sets_undos ON change_sets (tenant_id, undoes) WHERE undoes IS NOT NULL;
