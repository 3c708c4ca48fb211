-- Potential part promotion: the suppliers of a nation that have more of a part, whose name
-- begins with a colour, than half of what they shipped of it in a year (TPC-H 2.4.20).
-- Validation: :name_pattern 'forest%', :date '1994-01-01', and so :until '1995-01-01',
-- :nation 'CANADA'.
SELECT s_name, s_address
FROM supplier, nation
WHERE s_suppkey IN (
        SELECT ps_suppkey
        FROM partsupp
        WHERE ps_partkey IN (
                SELECT p_partkey
                FROM part
                WHERE p_name LIKE :name_pattern)
          AND ps_availqty > (
                SELECT 0.5 * SUM(l_quantity)
                FROM lineitem
                WHERE l_partkey = ps_partkey
                  AND l_suppkey = ps_suppkey
                  AND l_shipdate >= TO_DATE(:date, 'YYYY-MM-DD')
                  AND l_shipdate < TO_DATE(:until, 'YYYY-MM-DD')))
  AND s_nationkey = n_nationkey
  AND n_name = :nation
ORDER BY s_name
