-- No other user inserts the same row meanwhile.
SELECT s_id FROM special_facility WHERE s_id = :s_id AND sf_type = :sf_type FOR UPDATE;

-- results: there bigint
SELECT COUNT(*) AS there FROM call_forwarding
WHERE s_id = :s_id AND sf_type = :sf_type AND start_time = :start_time
HAVING COUNT(*) = 0;

INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx)
VALUES (:s_id, :sf_type, :start_time, :end_time, :numberx)
