ALTER TABLE escalations DROP COLUMN handed_over_step;
ALTER TABLE escalations DROP COLUMN actions;
