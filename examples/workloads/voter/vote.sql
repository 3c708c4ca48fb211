-- results: before bigint
SELECT COUNT(*) AS before FROM votes WHERE phone = :phone HAVING COUNT(*) < 3;

INSERT INTO votes (vote, phone, contestant) VALUES (:vote, :phone, :contestant)
