-- MySQL has window functions only from version 8 on, so this query counts with variables. The limit
-- has no effect on the number of rows, but preserves the order.
SELECT AVG(o_totalprice) AS median_price
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
WHERE 2 * place BETWEEN @sledge_place AND @sledge_place + 2
