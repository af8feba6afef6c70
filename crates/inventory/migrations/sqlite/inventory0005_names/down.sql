DROP INDEX resources_alias;
DROP INDEX resources_dns;
CREATE TABLE resource_names (
    tenant_id TEXT NOT NULL,
    suffix TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    fields BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, suffix, resource_id)
) WITHOUT ROWID;
INSERT INTO resource_names (tenant_id, suffix, resource_id, fields)
WITH RECURSIVE suffixes (tenant_id, resource_id, suffix, field, whole) AS (
    SELECT named.* FROM (
        SELECT tenant_id, id, host_key, 1, 16 FROM resources
        UNION ALL SELECT tenant_id, id, dns_key, 2, 32 FROM resources
        UNION ALL SELECT tenant_id, id, resource_key, 4, 64 FROM resources
        UNION ALL SELECT tenant_id, id, alias_key, 8, 128 FROM resources
    ) AS named
    UNION ALL
    SELECT tenant_id, resource_id, substr(suffix, 2), field, 0 FROM suffixes WHERE length(suffix) > 1
)
SELECT tenant_id, substr(suffix, 1, 48), resource_id,
    max(field & 1) + max(field & 2) + max(field & 4) + max(field & 8)
    + max(whole & 16) + max(whole & 32) + max(whole & 64) + max(whole & 128)
FROM suffixes WHERE suffix <> '' GROUP BY 1, 2, 3;
