-- The third quartile of the prices of German customers' orders: interpolated between the two prices
-- around position 1 + 0.75 * (n - 1).
SELECT SUM(o_totalprice * (1 - ABS(place - (1 + 0.75 * (n - 1))))) AS upper_price
FROM (
        SELECT o_totalprice, ROW_NUMBER() OVER (ORDER BY o_totalprice) AS place, COUNT(*) OVER () AS n
        FROM orders, customer, nation
        WHERE o_custkey = c_custkey
          AND c_nationkey = n_nationkey
          AND n_name = 'GERMANY') AS prices
WHERE ABS(place - (1 + 0.75 * (n - 1))) < 1
