-- Promotion effect: which percentage of a month's revenue came from parts in a promotion
-- (TPC-H 2.4.14).
-- Validation: :date '1995-09-01', and so :until '1995-10-01'.
--
-- A quotient of two sums of decimals has two decimal places here.
SELECT 100.00 * CAST(SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) AS DOUBLE)
         / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey
  AND l_shipdate >= :date
  AND l_shipdate < :until
