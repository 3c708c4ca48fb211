-- Shipping modes and order priority: the number of a year's lines that were shipped in time but
-- received late, by mode, for urgent and for other orders (TPC-H 2.4.12). Validation: :mode1
-- 'MAIL', :mode2 'SHIP', :date '1994-01-01', and so :until '1995-01-01'.
SELECT l_shipmode,
       SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END) AS high_line_count,
       SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1 ELSE 0 END) AS low_line_count
FROM orders, lineitem
WHERE o_orderkey = l_orderkey
  AND l_shipmode IN (:mode1, :mode2)
  AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate
  AND l_receiptdate >= :date
  AND l_receiptdate < :until
GROUP BY l_shipmode
ORDER BY l_shipmode
