-- Where the last write of a caller stands in the log of Postgres. SQLite has no replica, and no rows here.
CREATE TABLE write_positions (
    tenant_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    position BIGINT NOT NULL,
    noted_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, caller)
);
