DROP INDEX pages_by_time;
DROP INDEX pages_alert;
