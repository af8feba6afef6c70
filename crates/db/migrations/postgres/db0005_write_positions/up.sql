-- Where the last write of a caller stands in the log. Unlogged, so that a note of it does not wait for the disk: what a
-- crash loses is of no use after it.
CREATE TABLE write_positions (
    tenant_id TEXT COLLATE "C" NOT NULL,
    caller TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    noted_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, caller)
);
ALTER TABLE write_positions SET UNLOGGED;
