DROP TABLE incident_notes;
DROP TABLE incident_links;
DROP TABLE incidents;
