DROP TABLE roster_conflicts_told;
DROP TABLE roster_conflict_watches;
ALTER TABLE rosters DROP COLUMN conflicts_to;
