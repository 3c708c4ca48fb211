-- Top supplier: who made most of a quarter's revenue (TPC-H 2.4.15).
-- Validation: :date '1996-01-01', and so :until '1996-04-01'.
--
-- The standard creates a view of the revenue, queries it, and drops it. This query contains the
-- view's definition twice instead, as databases expand views anyway. So a run creates nothing, and
-- the query works in all databases.
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
FROM supplier,
     (
        SELECT l_suppkey AS supplier_no, SUM(l_extendedprice * (1 - l_discount)) AS total_revenue
        FROM lineitem
        WHERE l_shipdate >= TO_DATE(:date, 'YYYY-MM-DD')
          AND l_shipdate < TO_DATE(:until, 'YYYY-MM-DD')
        GROUP BY l_suppkey) revenue
WHERE s_suppkey = supplier_no
  AND total_revenue = (
        SELECT MAX(total_revenue)
        FROM (
                SELECT l_suppkey AS supplier_no, SUM(l_extendedprice * (1 - l_discount)) AS total_revenue
                FROM lineitem
                WHERE l_shipdate >= TO_DATE(:date, 'YYYY-MM-DD')
                  AND l_shipdate < TO_DATE(:until, 'YYYY-MM-DD')
                GROUP BY l_suppkey) revenues)
ORDER BY s_suppkey
