-- Order priority checking: the orders of a quarter of which a line came late, by priority
-- (TPC-H 2.4.4).
-- Validation: :date '1993-07-01', and so :until '1993-10-01'.
SELECT o_orderpriority, COUNT(*) AS order_count
FROM orders
WHERE o_orderdate >= TO_DATE(:date, 'YYYY-MM-DD')
  AND o_orderdate < TO_DATE(:until, 'YYYY-MM-DD')
  AND EXISTS (
        SELECT *
        FROM lineitem
        WHERE l_orderkey = o_orderkey
          AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority
ORDER BY o_orderpriority
