-- Which of the two byte orders a UUID was known by before is not noted, and both mean the same machine.
SELECT 1;
