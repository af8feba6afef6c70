DROP FUNCTION key_pages_by_time();
DROP FUNCTION fill_page_keys();
DROP TRIGGER page_keys ON pages;
DROP FUNCTION keep_page_key();
DROP FUNCTION page_key(text, text, bigint, bigint, text, text);
DROP TABLE page_keys;
