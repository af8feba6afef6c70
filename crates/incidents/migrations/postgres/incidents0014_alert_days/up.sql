-- Copies of what figures need of the closed alerts of a past day, packed. `day` is the number of the UTC day in which the
-- alerts were taken in. `format` is how `content` is packed; 0 while it is being made, and `content` then says by whom.
-- `alerts` is how many there are in it. Whoever changes one of these alerts removes the row, and it is made again.
CREATE TABLE alert_days (
    tenant_id TEXT COLLATE "C" NOT NULL,
    day BIGINT NOT NULL,
    format BIGINT NOT NULL,
    made_ms BIGINT NOT NULL,
    alerts BIGINT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, day)
);
-- It is packed already.
ALTER TABLE alert_days ALTER COLUMN content SET STORAGE EXTERNAL;
