-- Queues of deliveries are looked at tenant after tenant; those in which nothing waits are not in the index.
CREATE INDEX integration_lanes_turns ON integration_lanes (tenant_id, due_ms, event_id) WHERE due_ms < 9000000000000000;
DROP INDEX IF EXISTS integration_lanes_due;
