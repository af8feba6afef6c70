-- Ids are unique among all tenants: whoever makes one looks whether another has it.
CREATE INDEX incidents_by_id ON incidents (id);
