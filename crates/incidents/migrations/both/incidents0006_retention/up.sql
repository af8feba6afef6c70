-- What is over ages from then on, a tenant at a time; what is open is counted.
CREATE INDEX alerts_age ON alerts (tenant_id, closed_ms) WHERE closed_ms IS NOT NULL;
CREATE INDEX alert_problems_age ON alert_problems (tenant_id, settled_ms) WHERE alert_id = '';
CREATE INDEX incidents_age ON incidents (tenant_id, closed_ms) WHERE closed_ms IS NOT NULL;
CREATE INDEX incidents_open ON incidents (tenant_id) WHERE closed_ms IS NULL;

-- Open alerts of all hosts, also of those that name no resource: so that one index finds them and counts them.
DROP INDEX alerts_open_hosts;
CREATE INDEX alerts_open_hosts ON alerts (tenant_id, host_key) WHERE closed_ms IS NULL;
