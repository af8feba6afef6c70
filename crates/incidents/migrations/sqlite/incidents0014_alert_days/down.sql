DROP TABLE alert_days;
