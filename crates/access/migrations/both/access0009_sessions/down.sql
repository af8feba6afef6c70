DROP TABLE sessions;
DROP TABLE sign_in_links;
