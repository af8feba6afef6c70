DROP TABLE idempotency;
DROP TABLE audit_log;
DROP TABLE outbox_events;
