CREATE INDEX integration_lanes_due ON integration_lanes (due_ms);
DROP INDEX integration_lanes_turns;
