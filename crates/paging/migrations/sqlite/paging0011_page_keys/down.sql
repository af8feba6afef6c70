DROP TABLE page_keys;
