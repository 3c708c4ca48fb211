-- The median discount of German customers in 1995.
SELECT AVG(l_discount) AS median_discount
FROM (
        SELECT l_discount, ROW_NUMBER() OVER (ORDER BY l_discount) AS place, COUNT(*) OVER () AS n
        FROM lineitem, orders, customer, nation
        WHERE l_orderkey = o_orderkey
          AND o_orderdate BETWEEN '1995-01-01' AND '1995-12-31'
          AND o_custkey = c_custkey
          AND c_nationkey = n_nationkey
          AND n_name = 'GERMANY') AS discounts
WHERE 2 * place BETWEEN n AND n + 2
