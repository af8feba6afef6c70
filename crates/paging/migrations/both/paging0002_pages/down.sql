DROP TABLE owners;
DROP TABLE pages;
DROP TABLE escalations;
