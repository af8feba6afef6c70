-- How many calls of a contact method there were within a minute; the version before finds what was sent to it. An index
-- that was cut off while it was made is dropped.
DROP INDEX CONCURRENTLY IF EXISTS pages_called;
CREATE INDEX CONCURRENTLY pages_called ON pages (method_id, called_ms);
DROP INDEX CONCURRENTLY IF EXISTS pages_sent;
