DROP TABLE roster_watches;
