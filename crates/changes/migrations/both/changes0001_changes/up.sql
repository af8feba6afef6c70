-- Who watches, until when, and how many changes were told: of a tenant alone (`own`), or of a partner and its clients (`all`).
CREATE TABLE changes_heads (
    tenant_id TEXT NOT NULL,
    reach TEXT NOT NULL,
    seq BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, reach)
);

-- What changed lately while somebody watched. Each reach counts by itself: a client learns nothing of how much others do.
CREATE TABLE changes (
    tenant_id TEXT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    partner_id TEXT NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    action TEXT NOT NULL,
    request_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    own_seq BIGINT,
    all_seq BIGINT,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX changes_own ON changes (tenant_id, own_seq);
CREATE INDEX changes_all ON changes (partner_id, all_seq);
CREATE INDEX changes_at ON changes (tenant_id, at_ms);
