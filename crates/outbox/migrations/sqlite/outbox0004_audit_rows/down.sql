-- What is packed cannot be told in SQL: of the rows since then only their fields are kept.
ALTER TABLE audit_log RENAME TO audit_log_packed;
DROP INDEX audit_log_entity;
CREATE TABLE audit_log (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    user_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    action TEXT NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    changes TEXT NOT NULL,
    request_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
INSERT INTO audit_log
    SELECT tenant_id, coalesce(former_id, 'AUD-' || at_ms || '-' || id), at_ms, user_id, key_id, action, entity, entity_id,
        coalesce(changes, '{}'), request_id
    FROM audit_log_packed;
DROP TABLE audit_log_packed;
CREATE INDEX audit_log_at ON audit_log (tenant_id, at_ms, id);
CREATE INDEX audit_log_entity ON audit_log (tenant_id, lower(entity_id), at_ms, id);
