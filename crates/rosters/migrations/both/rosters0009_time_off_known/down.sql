DROP TABLE roster_time_off_revisions;
DROP TABLE roster_former_time_off;
