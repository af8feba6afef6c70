-- What is due is looked for tenant by tenant.
CREATE INDEX heartbeats_turn ON heartbeats (tenant_id, due_ms, id) WHERE NOT missed AND due_ms IS NOT NULL;
DROP INDEX alerts_lapse;
CREATE INDEX alerts_lapse ON alerts (tenant_id, suppressed_until_ms)
    WHERE suppression = 'person' AND suppressed_until_ms IS NOT NULL;

-- When alerts are to be told of the silence of a heartbeat, or of its end; null once they were.
ALTER TABLE heartbeats ADD COLUMN report_ms BIGINT;
CREATE INDEX heartbeats_report ON heartbeats (tenant_id, report_ms, id) WHERE report_ms IS NOT NULL;
