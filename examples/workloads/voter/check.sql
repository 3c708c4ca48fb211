-- name: contestants
-- each vote is for one of the six contestants
SELECT vote FROM votes WHERE contestant NOT BETWEEN 1 AND 6
