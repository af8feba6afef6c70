DROP TRIGGER alert_days_insert ON alerts;
DROP TRIGGER alert_days_update ON alerts;
DROP TRIGGER alert_days_delete ON alerts;
DROP FUNCTION remove_alert_day();
