DROP INDEX pages_requested;
DROP TABLE requested_messages;
