-- Small-quantity orders: what a year would lose in revenue without orders of less than a
-- fifth of a part's average quantity (TPC-H 2.4.17).
-- Validation: :brand 'Brand#23', :container 'MED BOX'.
--
-- The quotient of a sum of decimals has one decimal place here.
SELECT CAST(SUM(l_extendedprice) AS DOUBLE) / 7.0 AS avg_yearly
FROM lineitem, part
WHERE p_partkey = l_partkey
  AND p_brand = :brand
  AND p_container = :container
  AND l_quantity < (
        SELECT 0.2 * AVG(l_quantity)
        FROM lineitem
        WHERE l_partkey = p_partkey)
