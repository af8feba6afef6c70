-- When somebody acknowledged an alert first, whether or not that holds; of alerts from before, what is known of it.
ALTER TABLE alerts ADD COLUMN acknowledged_ms BIGINT;
UPDATE alerts SET acknowledged_ms = 1000 * EXTRACT(EPOCH FROM CAST(substr(COALESCE(
    CAST(document AS JSON) #>> '{acknowledgement,time}', CAST(document AS JSON) #>> '{previous_acknowledgement,time}'
), 1, 19) || 'Z' AS TIMESTAMPTZ)) WHERE document LIKE '%acknowledgement":{%';
