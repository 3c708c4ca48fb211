-- Important stock: the parts with a large fraction of the stock value of a nation's suppliers
-- (TPC-H 2.4.11). The fraction is 0.0001 / scale factor. Validation: :nation 'GERMANY', :fraction
-- 0.0001.
SELECT ps_partkey, SUM(ps_supplycost * ps_availqty) AS value
FROM partsupp, supplier, nation
WHERE ps_suppkey = s_suppkey
  AND s_nationkey = n_nationkey
  AND n_name = :nation
GROUP BY ps_partkey
HAVING SUM(ps_supplycost * ps_availqty) > (
        SELECT SUM(ps_supplycost * ps_availqty) * :fraction
        FROM partsupp, supplier, nation
        WHERE ps_suppkey = s_suppkey
          AND s_nationkey = n_nationkey
          AND n_name = :nation)
ORDER BY value DESC
