DROP TABLE resource_changes;
