DROP INDEX incidents_by_id;
