-- MySQL has window functions only from version 8 on, so this query counts with variables. The limit
-- has no effect on the number of rows, but preserves the order.
SELECT AVG(l_discount) AS median_discount
FROM (
        SELECT l_discount, @sledge_place := @sledge_place + 1 AS place
        FROM (SELECT @sledge_place := 0) AS start,
             (
                SELECT l_discount
                FROM lineitem, orders, customer, nation
                WHERE l_orderkey = o_orderkey
                  AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
                  AND o_custkey = c_custkey
                  AND c_nationkey = n_nationkey
                  AND n_name = 'GERMANY'
                ORDER BY l_discount
                LIMIT 18446744073709551615) AS sorted) AS discounts
WHERE 2 * place BETWEEN @sledge_place AND @sledge_place + 2
