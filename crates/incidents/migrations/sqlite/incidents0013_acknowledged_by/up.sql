-- Who acknowledged an alert first, by id, whether or not that holds; of alerts from before, what is known of it.
ALTER TABLE alerts ADD COLUMN acknowledged_by TEXT;
UPDATE alerts SET acknowledged_by = COALESCE(
    json_extract(document, '$.acknowledgement.by.id'), json_extract(document, '$.previous_acknowledgement.by.id')
) WHERE acknowledged_ms IS NOT NULL;
CREATE INDEX alerts_acknowledged ON alerts (tenant_id, acknowledged_ms, closed_ms, acknowledged_by)
    WHERE acknowledged_by IS NOT NULL;
