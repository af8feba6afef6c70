-- Codes and tests that people had sent, as long as they count: for whom, by whom, and where to (a hash of the address).
CREATE TABLE requested_messages (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    author_id TEXT COLLATE "C" NOT NULL,
    destination TEXT COLLATE "C" NOT NULL,
    sent_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX requested_messages_user ON requested_messages (user_id, kind, sent_ms);
CREATE INDEX requested_messages_author ON requested_messages (author_id, kind, sent_ms);
CREATE INDEX requested_messages_destination ON requested_messages (destination, kind, sent_ms);
CREATE INDEX requested_messages_age ON requested_messages (tenant_id, sent_ms);

-- They age apart from pages of alerts.
CREATE INDEX pages_requested ON pages (tenant_id, created_ms) WHERE kind IN ('code', 'test');
