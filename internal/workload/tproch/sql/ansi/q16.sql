-- Parts and suppliers: the number of suppliers without complaints that sell parts of eight sizes
-- which are not of a certain brand and type (TPC-H 2.4.16). Validation: :brand 'Brand#45',
-- :type_pattern 'MEDIUM POLISHED%', sizes 49, 14, 23, 45, 19, 3, 36 and 9.
SELECT p_brand, p_type, p_size, COUNT(DISTINCT ps_suppkey) AS supplier_cnt
FROM partsupp, part
WHERE p_partkey = ps_partkey
  AND p_brand <> :brand
  AND p_type NOT LIKE :type_pattern
  AND p_size IN (:size1, :size2, :size3, :size4, :size5, :size6, :size7, :size8)
  AND ps_suppkey NOT IN (
        SELECT s_suppkey
        FROM supplier
        WHERE s_comment LIKE '%Customer%Complaints%')
GROUP BY p_brand, p_type, p_size
ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
