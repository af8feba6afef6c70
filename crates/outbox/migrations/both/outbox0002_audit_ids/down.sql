DROP INDEX audit_log_entity;
CREATE INDEX audit_log_entity ON audit_log (tenant_id, entity, entity_id, at_ms);
