DROP TABLE maintenance_watches;
