-- Events that were tried and not taken are given up after 30 days. To look for them was to look at all that wait.
CREATE INDEX outbox_events_tried ON outbox_events (tenant_id, created_ms) WHERE attempts > 0;
