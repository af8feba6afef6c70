DROP INDEX idempotency_age;
CREATE INDEX idempotency_created ON idempotency (created_ms);
