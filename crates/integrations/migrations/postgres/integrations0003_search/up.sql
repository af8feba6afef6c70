-- Deliveries are searched across the events of a tenant: what each tells of stands beside it.
ALTER TABLE integration_deliveries ADD COLUMN entity TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE integration_deliveries ADD COLUMN action TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE integration_deliveries ADD COLUMN entity_id TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE integration_deliveries SET
    entity = (SELECT CASE WHEN position('\u0000' IN m.about) > 0 THEN ''
        ELSE substr(COALESCE(m.about::json ->> 'entity', ''), 1, 200) END FROM integration_messages m
        WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id),
    action = (SELECT CASE WHEN position('\u0000' IN m.about) > 0 THEN ''
        ELSE substr(COALESCE(m.about::json ->> 'eventType', ''), 1, 200) END FROM integration_messages m
        WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id),
    entity_id = (SELECT CASE WHEN position('\u0000' IN m.about) > 0 THEN ''
        ELSE substr(COALESCE(m.about::json ->> 'entityId', ''), 1, 200) END FROM integration_messages m
        WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id)
WHERE EXISTS (SELECT 1 FROM integration_messages m
    WHERE m.tenant_id = integration_deliveries.tenant_id AND m.delivery_id = integration_deliveries.id);
CREATE INDEX integration_deliveries_time ON integration_deliveries (tenant_id, created_ms, id);
CREATE INDEX integration_deliveries_status ON integration_deliveries (tenant_id, status, created_ms, id);
CREATE INDEX integration_deliveries_entity ON integration_deliveries (tenant_id, entity, created_ms, id);
CREATE INDEX integration_deliveries_about ON integration_deliveries (tenant_id, entity_id, created_ms, id);
