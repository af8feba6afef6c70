DROP INDEX IF EXISTS alerts_acknowledged;
