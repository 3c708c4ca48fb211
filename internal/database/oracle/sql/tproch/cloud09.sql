-- The lines of a month's cheap orders of which suppliers have more in stock than was ordered
-- of them. The data say '4-NOT SPECIFIED', so there are none: the blanks are part of the
-- question.
SELECT l_orderkey, l_linenumber, l_partkey, l_quantity, s_suppkey, s_name
FROM lineitem,
     supplier,
     (
        SELECT l_orderkey AS orderkey, l_suppkey AS suppkey
        FROM orders, lineitem, partsupp
        WHERE o_orderkey = l_orderkey
          AND l_partkey = ps_partkey
          AND l_suppkey = ps_suppkey
          AND o_orderdate >= DATE '1996-04-01'
          AND o_orderdate < DATE '1996-05-01'
          AND o_orderpriority = '4 - NOT SPECIFIED'
          AND o_totalprice < 850
        GROUP BY l_orderkey, l_suppkey
        HAVING SUM(l_quantity) < SUM(ps_availqty)) stocked
WHERE l_orderkey = orderkey
  AND l_suppkey = suppkey
  AND s_suppkey = suppkey
ORDER BY l_orderkey, l_linenumber
