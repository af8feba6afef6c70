-- Who reports an alert: the id of an inbound address, the kind of what the service itself notices, or nothing for the API
-- keys of the tenant. Alerts from before say nothing.
ALTER TABLE alerts ADD COLUMN sender TEXT COLLATE "C" NOT NULL DEFAULT '';

-- How many alerts of a sender are open, so that nobody has to count them; `*` has those of all senders.
CREATE TABLE open_alerts (
    tenant_id TEXT COLLATE "C" NOT NULL,
    sender TEXT COLLATE "C" NOT NULL,
    open BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, sender)
);
INSERT INTO open_alerts SELECT tenant_id, '', count(*) FROM alerts WHERE closed_ms IS NULL GROUP BY tenant_id;
INSERT INTO open_alerts SELECT tenant_id, '*', count(*) FROM alerts WHERE closed_ms IS NULL GROUP BY tenant_id;
