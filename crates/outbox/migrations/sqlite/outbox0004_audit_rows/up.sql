-- Smaller rows: what changed is kept packed (crates/outbox/src/packing.rs), and a row has a number where it had a text of 40
-- characters, three times with its indexes. Rows from before keep their ids in `former_id`, and what changed in `changes`.
ALTER TABLE audit_log RENAME TO audit_log_former;
DROP INDEX audit_log_entity;
CREATE TABLE audit_log (
    tenant_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    id BIGINT NOT NULL,
    former_id TEXT,
    user_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    action TEXT NOT NULL,
    entity TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    changes TEXT,
    packed BYTEA,
    request_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, at_ms, id)
);
INSERT INTO audit_log
    SELECT tenant_id, at_ms, row_number() OVER (PARTITION BY tenant_id, at_ms ORDER BY id), id, user_id, key_id, action, entity,
        entity_id, changes, NULL, request_id
    FROM audit_log_former;
DROP TABLE audit_log_former;
CREATE INDEX audit_log_entity ON audit_log (tenant_id, lower(entity_id), at_ms, id);
