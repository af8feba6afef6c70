-- What is due is looked for tenant by tenant.
CREATE INDEX escalations_turn ON escalations (tenant_id, next_ms, alert_id) WHERE next_ms IS NOT NULL;
CREATE INDEX shift_reminders_turn ON shift_reminders (tenant_id, next_ms, user_id);
