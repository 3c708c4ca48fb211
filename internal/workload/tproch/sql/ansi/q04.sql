-- Order priority checking: the number of a quarter's orders with a late line, by priority (TPC-H
-- 2.4.4). Validation: :date '1993-07-01', and so :until '1993-10-01'.
SELECT o_orderpriority, COUNT(*) AS order_count
FROM orders
WHERE o_orderdate >= :date
  AND o_orderdate < :until
  AND EXISTS (
        SELECT *
        FROM lineitem
        WHERE l_orderkey = o_orderkey
          AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority
ORDER BY o_orderpriority
