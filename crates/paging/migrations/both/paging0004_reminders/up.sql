-- Who is told before a shift of theirs begins: how long before, and when their shifts are looked at next.
CREATE TABLE shift_reminders (
    tenant_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    before_ms BIGINT NOT NULL,
    next_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX shift_reminders_due ON shift_reminders (next_ms, tenant_id, user_id);
