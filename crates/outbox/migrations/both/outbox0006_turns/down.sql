CREATE INDEX outbox_events_due ON outbox_events (due_ms, seq);
DROP INDEX outbox_events_turns;
