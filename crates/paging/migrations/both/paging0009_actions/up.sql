-- What people did with an escalation besides answering (JSON, empty for nothing), and the step by which it was handed
-- over, from 0.
ALTER TABLE escalations ADD COLUMN actions TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE escalations ADD COLUMN handed_over_step BIGINT;
