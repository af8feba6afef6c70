-- Jobs that are due more often than once an hour: there are not many of them in a tenant.
ALTER TABLE jobs ADD COLUMN frequent BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX jobs_frequent ON jobs (tenant_id, id) WHERE frequent;

-- Is a run that does not end well an alert, and was there one since the last that did?
ALTER TABLE jobs ADD COLUMN alert_on_failure BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE jobs ADD COLUMN alerting BOOLEAN NOT NULL DEFAULT FALSE;
