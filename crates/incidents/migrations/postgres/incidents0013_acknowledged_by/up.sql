-- Who acknowledged an alert first, by id, whether or not that holds; of alerts from before, what is known of it.
ALTER TABLE alerts ADD COLUMN acknowledged_by TEXT COLLATE "C";
UPDATE alerts SET acknowledged_by = COALESCE(
    CAST(document AS JSON) #>> '{acknowledgement,by,id}', CAST(document AS JSON) #>> '{previous_acknowledgement,by,id}'
) WHERE acknowledged_ms IS NOT NULL;
CREATE INDEX alerts_acknowledged ON alerts (tenant_id, acknowledged_ms, closed_ms, acknowledged_by)
    WHERE acknowledged_by IS NOT NULL;
