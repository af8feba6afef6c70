-- The copy of a day goes with any change of one of its closed alerts, also by a gateway that knows no copies. An alert
-- that is younger than three hours is of a day that has none. The lock is that of who makes copies.
CREATE FUNCTION remove_alert_day() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed alerts%ROWTYPE;
BEGIN
    changed := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
    PERFORM pg_advisory_xact_lock(hashtextextended('alertDays:' || changed.tenant_id, 0));
    DELETE FROM alert_days WHERE tenant_id = changed.tenant_id AND day = changed.created_ms / 86400000;
    RETURN NULL;
END $$;
CREATE TRIGGER alert_days_insert AFTER INSERT ON alerts FOR EACH ROW
    WHEN (NEW.closed_ms IS NOT NULL
        AND NEW.created_ms <= (extract(epoch FROM statement_timestamp()) * 1000)::bigint - 10800000)
    EXECUTE FUNCTION remove_alert_day();
CREATE TRIGGER alert_days_update AFTER UPDATE ON alerts FOR EACH ROW
    WHEN ((NEW.closed_ms IS NOT NULL OR OLD.closed_ms IS NOT NULL)
        AND NEW.created_ms <= (extract(epoch FROM statement_timestamp()) * 1000)::bigint - 10800000)
    EXECUTE FUNCTION remove_alert_day();
CREATE TRIGGER alert_days_delete AFTER DELETE ON alerts FOR EACH ROW
    WHEN (OLD.closed_ms IS NOT NULL
        AND OLD.created_ms <= (extract(epoch FROM statement_timestamp()) * 1000)::bigint - 10800000)
    EXECUTE FUNCTION remove_alert_day();
