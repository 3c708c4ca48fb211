-- Customer distribution: the number of customers by their number of orders, not counting orders
-- whose comment contains two words (TPC-H 2.4.13). Validation: :comment_pattern
-- '%special%requests%'.
SELECT c_count, COUNT(*) AS custdist
FROM (
        SELECT c_custkey, COUNT(o_orderkey) AS c_count
        FROM customer LEFT OUTER JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE :comment_pattern
        GROUP BY c_custkey) AS c_orders
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC
