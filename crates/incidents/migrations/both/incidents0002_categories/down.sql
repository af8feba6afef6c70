DROP TABLE incident_categories;
