DROP INDEX heartbeats_report;
ALTER TABLE heartbeats DROP COLUMN report_ms;
DROP INDEX alerts_lapse;
CREATE INDEX alerts_lapse ON alerts (suppressed_until_ms) WHERE suppression = 'person' AND suppressed_until_ms IS NOT NULL;
DROP INDEX heartbeats_turn;
