-- What makes a page happen once on Postgres, where a unique index of pages has the time by which they are partitioned. On
-- SQLite that is pages_once, and there are no rows here.
CREATE TABLE page_keys (
    tenant_id TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
