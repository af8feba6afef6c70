DROP TABLE roster_hour_categories;
