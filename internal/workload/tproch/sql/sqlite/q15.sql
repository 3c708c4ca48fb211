-- The revenue is summed up once, as a variant of the standard has it: sums of floating-point
-- numbers are compared here, and two of them need not be equal to the last digit.
WITH revenue AS (
        SELECT l_suppkey AS supplier_no, SUM(l_extendedprice * (1 - l_discount)) AS total_revenue
        FROM lineitem
        WHERE l_shipdate >= :date
          AND l_shipdate < :until
        GROUP BY l_suppkey)
SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
FROM supplier, revenue
WHERE s_suppkey = supplier_no
  AND total_revenue = (SELECT MAX(total_revenue) FROM revenue)
ORDER BY s_suppkey
