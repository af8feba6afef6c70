-- What is due is looked for tenant by tenant.
CREATE INDEX maintenance_watches_turn ON maintenance_watches (tenant_id, due_ms, window_id) WHERE due_ms IS NOT NULL;
