-- National market share: the part that a nation's suppliers have in a region's revenue from
-- a type of part, by year (TPC-H 2.4.8).
-- Validation: :nation 'BRAZIL', :region 'AMERICA', :type 'ECONOMY ANODIZED STEEL'.
--
-- A quotient of two sums of decimals has no decimal places here.
SELECT o_year, CAST(SUM(CASE WHEN nation = :nation THEN volume ELSE 0 END) AS DOUBLE) / SUM(volume) AS mkt_share
FROM (
        SELECT YEAR(o_orderdate) AS o_year,
               l_extendedprice * (1 - l_discount) AS volume,
               n2.n_name AS nation
        FROM part, supplier, lineitem, orders, customer, nation n1, nation n2, region
        WHERE p_partkey = l_partkey
          AND s_suppkey = l_suppkey
          AND l_orderkey = o_orderkey
          AND o_custkey = c_custkey
          AND c_nationkey = n1.n_nationkey
          AND n1.n_regionkey = r_regionkey
          AND r_name = :region
          AND s_nationkey = n2.n_nationkey
          AND o_orderdate BETWEEN '1995-01-01' AND '1996-12-31'
          AND p_type = :type) AS all_nations
GROUP BY o_year
ORDER BY o_year
