DROP TABLE alert_windows;
DROP TABLE alert_problems;
DROP TABLE alerts;
