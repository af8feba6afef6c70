-- The integer ids that the interface asks for (sites, groups, resource types, users).
CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
