-- The words of articles have a table of their own on SQLite alone; an empty migration is refused here.
SELECT 1;
