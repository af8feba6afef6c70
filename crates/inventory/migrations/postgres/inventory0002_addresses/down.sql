DROP TABLE resource_addresses;
