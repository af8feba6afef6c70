-- A report names a host that the inventory knows no more: which alert is open for it.
CREATE INDEX alerts_open_hosts ON alerts (tenant_id, host_key) WHERE closed_ms IS NULL AND resource_id IS NOT NULL;
