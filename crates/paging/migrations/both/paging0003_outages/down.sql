DROP TABLE outages;
DROP INDEX escalations_problem;
ALTER TABLE escalations DROP COLUMN waits_until_ms;
ALTER TABLE escalations DROP COLUMN waits_for;
ALTER TABLE escalations DROP COLUMN stands_for;
ALTER TABLE escalations DROP COLUMN problem;
