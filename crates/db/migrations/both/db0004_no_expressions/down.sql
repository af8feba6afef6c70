-- The memory that the regular expressions of each holder (an event, a window, a group) take once they are compiled, in
-- bytes. A holder without any has no row.
CREATE TABLE expression_sizes (
    tenant_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    id TEXT NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, holder, id)
);
