-- The copy of a day goes with any change of one of its closed alerts, also by a program that knows no copies. An alert
-- that is younger than three hours is of a day that has none.
CREATE TRIGGER alert_days_insert AFTER INSERT ON alerts
WHEN NEW.closed_ms IS NOT NULL AND NEW.created_ms <= strftime('%s', 'now') * 1000 - 10800000
BEGIN
    DELETE FROM alert_days WHERE tenant_id = NEW.tenant_id AND day = NEW.created_ms / 86400000;
END;
CREATE TRIGGER alert_days_update AFTER UPDATE ON alerts
WHEN (NEW.closed_ms IS NOT NULL OR OLD.closed_ms IS NOT NULL)
    AND NEW.created_ms <= strftime('%s', 'now') * 1000 - 10800000
BEGIN
    DELETE FROM alert_days WHERE tenant_id = NEW.tenant_id AND day = NEW.created_ms / 86400000;
END;
CREATE TRIGGER alert_days_delete AFTER DELETE ON alerts
WHEN OLD.closed_ms IS NOT NULL AND OLD.created_ms <= strftime('%s', 'now') * 1000 - 10800000
BEGIN
    DELETE FROM alert_days WHERE tenant_id = OLD.tenant_id AND day = OLD.created_ms / 86400000;
END;
