-- Discounted revenue: the revenue from three kinds of parts in small, medium and large containers
-- that were delivered by air and in person (TPC-H 2.4.19). The standard's 'AIR REG' matches
-- nothing, because the data have 'REG AIR'. Validation: brands 'Brand#12', 'Brand#23' and
-- 'Brand#34', quantities 1, 10 and 20.
SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM lineitem, part
WHERE (p_partkey = l_partkey
        AND p_brand = :brand1
        AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
        AND l_quantity >= :quantity1 AND l_quantity <= :quantity1 + 10
        AND p_size BETWEEN 1 AND 5
        AND l_shipmode IN ('AIR', 'AIR REG')
        AND l_shipinstruct = 'DELIVER IN PERSON')
   OR (p_partkey = l_partkey
        AND p_brand = :brand2
        AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
        AND l_quantity >= :quantity2 AND l_quantity <= :quantity2 + 10
        AND p_size BETWEEN 1 AND 10
        AND l_shipmode IN ('AIR', 'AIR REG')
        AND l_shipinstruct = 'DELIVER IN PERSON')
   OR (p_partkey = l_partkey
        AND p_brand = :brand3
        AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
        AND l_quantity >= :quantity3 AND l_quantity <= :quantity3 + 10
        AND p_size BETWEEN 1 AND 15
        AND l_shipmode IN ('AIR', 'AIR REG')
        AND l_shipinstruct = 'DELIVER IN PERSON')
