-- Which resources changed, for gateways that keep in memory which resources a filter means (crates/db/src/changes.rs).
-- `resource_id` also names groups, as `group:<id>`, and everything, as `*`. Only the newest are kept; a stamp of 0 says
-- below which one they are gone.
CREATE TABLE resource_changes (
    tenant_id TEXT COLLATE "C" NOT NULL,
    stamp BIGINT NOT NULL,
    resource_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, stamp, resource_id)
);
