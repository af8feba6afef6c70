DROP TRIGGER alert_days_insert;
DROP TRIGGER alert_days_update;
DROP TRIGGER alert_days_delete;
