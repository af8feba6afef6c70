-- Events are handed on tenant after tenant: which tenants have some, and which of those are due first.
CREATE INDEX outbox_events_turns ON outbox_events (tenant_id, due_ms, seq);
DROP INDEX IF EXISTS outbox_events_due;
