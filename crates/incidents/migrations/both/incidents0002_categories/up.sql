-- Categories of incidents: a tree. `parent_id` is empty at the top, where `depth` is 1; `name_key` is folded. `_ms`
-- columns are milliseconds since the epoch.
CREATE TABLE incident_categories (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    parent_id TEXT COLLATE "C" NOT NULL,
    depth BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX incident_categories_siblings ON incident_categories (tenant_id, parent_id, name_key);
CREATE INDEX incident_categories_name ON incident_categories (tenant_id, name_key, id);
CREATE INDEX incident_categories_created ON incident_categories (tenant_id, created_ms, id);
