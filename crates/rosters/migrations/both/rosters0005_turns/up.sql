-- What is due is looked for tenant by tenant.
CREATE INDEX roster_watches_turn ON roster_watches (tenant_id, due_ms, roster_id);
