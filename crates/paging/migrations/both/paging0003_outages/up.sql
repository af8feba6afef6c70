-- What an alert has to do with others: `problem` is the same for alerts that come and go (a hash), `stands_for` the places that are down
-- when it is open, `waits_for` the alert of such a place that it waits for, until `waits_until_ms` at most.
ALTER TABLE escalations ADD COLUMN problem TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE escalations ADD COLUMN stands_for TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE escalations ADD COLUMN waits_for TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE escalations ADD COLUMN waits_until_ms BIGINT;
CREATE INDEX escalations_problem ON escalations (tenant_id, problem, created_ms);

-- Places that are down, by the alerts that say so.
CREATE TABLE outages (
    tenant_id TEXT COLLATE "C" NOT NULL,
    place TEXT COLLATE "C" NOT NULL,
    alert_id TEXT COLLATE "C" NOT NULL,
    since_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, place, alert_id)
);
CREATE INDEX outages_alert ON outages (tenant_id, alert_id);
