-- What the regular expressions of a tenant take together is no longer limited.
DROP TABLE expression_sizes;
