-- Deliveries are searched across the events of a tenant: what each tells of stands beside it.
ALTER TABLE integration_deliveries ADD COLUMN entity TEXT NOT NULL DEFAULT '';
ALTER TABLE integration_deliveries ADD COLUMN action TEXT NOT NULL DEFAULT '';
ALTER TABLE integration_deliveries ADD COLUMN entity_id TEXT NOT NULL DEFAULT '';
UPDATE integration_deliveries SET
    entity = (SELECT substr(COALESCE(json_extract(m.about, '$.entity'), ''), 1, 200) FROM integration_messages m
        WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id),
    action = (SELECT substr(COALESCE(json_extract(m.about, '$.eventType'), ''), 1, 200) FROM integration_messages m
        WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id),
    entity_id = (SELECT substr(COALESCE(json_extract(m.about, '$.entityId'), ''), 1, 200) FROM integration_messages m
        WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id)
WHERE EXISTS (SELECT 1 FROM integration_messages m
    WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id);
CREATE INDEX integration_deliveries_time ON integration_deliveries (tenant_id, created_ms, id);
CREATE INDEX integration_deliveries_status ON integration_deliveries (tenant_id, status, created_ms, id);
CREATE INDEX integration_deliveries_entity ON integration_deliveries (tenant_id, entity, created_ms, id);
CREATE INDEX integration_deliveries_about ON integration_deliveries (tenant_id, entity_id, created_ms, id);
