-- SQLite has one writer at a time, and no FOR UPDATE.
-- results: there bigint
SELECT COUNT(*) AS there FROM call_forwarding
WHERE s_id = :s_id AND sf_type = :sf_type AND start_time = :start_time
HAVING COUNT(*) = 0;

INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx)
VALUES (:s_id, :sf_type, :start_time, :end_time, :numberx)
