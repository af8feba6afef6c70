-- When somebody acknowledged an alert first, whether or not that holds; of alerts from before, what is known of it.
ALTER TABLE alerts ADD COLUMN acknowledged_ms BIGINT;
UPDATE alerts SET acknowledged_ms = 1000 * CAST(strftime('%s', substr(COALESCE(
    json_extract(document, '$.acknowledgement.time'), json_extract(document, '$.previous_acknowledgement.time')
), 1, 19)) AS BIGINT) WHERE document LIKE '%acknowledgement":{%';
