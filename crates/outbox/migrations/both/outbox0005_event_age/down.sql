DROP INDEX outbox_events_tried;
