-- results: earlier bigint
SELECT COUNT(*) AS earlier FROM votes WHERE phone = :phone HAVING COUNT(*) < 3;

INSERT INTO votes (vote, phone, contestant) VALUES (:vote, :phone, :contestant)
