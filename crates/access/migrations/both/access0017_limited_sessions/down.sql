DROP TABLE used_page_links;
DELETE FROM sessions WHERE limit_tenant <> '';
ALTER TABLE sessions DROP COLUMN limit_incident;
ALTER TABLE sessions DROP COLUMN limit_alert;
ALTER TABLE sessions DROP COLUMN limit_tenant;
