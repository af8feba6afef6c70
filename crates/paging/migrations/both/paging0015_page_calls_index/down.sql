DROP INDEX IF EXISTS pages_called;
CREATE INDEX pages_sent ON pages (method_id, sent_ms) WHERE sent_ms IS NOT NULL;
