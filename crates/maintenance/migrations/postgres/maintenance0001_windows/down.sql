DROP TABLE maintenance_calendars;
DROP TABLE maintenance_targets;
DROP TABLE maintenance_windows;
