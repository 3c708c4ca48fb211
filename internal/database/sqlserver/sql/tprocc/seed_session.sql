SELECT RAND(CAST((:seed1 + :seed2) % 1073741824 AS int))
