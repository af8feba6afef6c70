-- The log of one entity, in order of time. Ids match whatever the letter case, so the former index found nothing.
DROP INDEX audit_log_entity;
CREATE INDEX audit_log_entity ON audit_log (tenant_id, lower(entity_id), at_ms, id);
