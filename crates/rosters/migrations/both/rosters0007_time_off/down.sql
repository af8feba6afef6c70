DROP TABLE roster_time_off;
