DROP TABLE roster_covers;
