DROP TABLE maintenance_calendars;
DROP TABLE maintenance_targets;
DROP TABLE maintenance_windows;
DELETE FROM sqlite_stat1 WHERE tbl LIKE 'maintenance_%';
