DROP TABLE resource_addresses;
DELETE FROM sqlite_stat1 WHERE tbl = 'resource_addresses';
