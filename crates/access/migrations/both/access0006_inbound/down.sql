DROP TABLE inbound_addresses;
