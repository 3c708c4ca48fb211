UPDATE sbtest1 SET k = CASE WHEN k < 1000 THEN k + 1 ELSE 1 END WHERE id = :id;
