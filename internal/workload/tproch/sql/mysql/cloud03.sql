-- MySQL has window functions only from version 8 on, so this query counts with variables. The limit
-- has no effect on the number of rows, but preserves the order.
SELECT SUM(o_totalprice * (1 - ABS(place - (1 + 0.75 * (@sledge_place - 1))))) AS upper_price
FROM (
        SELECT o_totalprice, @sledge_place := @sledge_place + 1 AS place
        FROM (SELECT @sledge_place := 0) AS start,
             (
                SELECT o_totalprice
                FROM orders, customer, nation
                WHERE o_custkey = c_custkey
                  AND c_nationkey = n_nationkey
                  AND n_name = 'GERMANY'
                ORDER BY o_totalprice
                LIMIT 18446744073709551615) AS sorted) AS prices
WHERE ABS(place - (1 + 0.75 * (@sledge_place - 1))) < 1
