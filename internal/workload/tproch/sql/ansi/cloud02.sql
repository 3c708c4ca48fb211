-- The median price of the orders of German customers: the middle price, or the average of the two
-- in the middle.
SELECT AVG(o_totalprice) AS median_price
FROM (
        SELECT o_totalprice, ROW_NUMBER() OVER (ORDER BY o_totalprice) AS place, COUNT(*) OVER () AS n
        FROM orders, customer, nation
        WHERE o_custkey = c_custkey
          AND c_nationkey = n_nationkey
          AND n_name = 'GERMANY') AS prices
WHERE 2 * place BETWEEN n AND n + 2
