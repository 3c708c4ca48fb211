-- Global sales opportunity: the customers in seven countries, by telephone code, who have more than
-- the average positive balance and no orders (TPC-H 2.4.22). Validation: codes '13', '31', '23',
-- '29', '30', '18' and '17'.
SELECT cntrycode, COUNT(*) AS numcust, SUM(c_acctbal) AS totacctbal
FROM (
        SELECT SUBSTRING(c_phone, 1, 2) AS cntrycode, c_acctbal
        FROM customer
        WHERE SUBSTRING(c_phone, 1, 2) IN (:code1, :code2, :code3, :code4, :code5, :code6, :code7)
          AND c_acctbal > (
                SELECT AVG(c_acctbal)
                FROM customer
                WHERE c_acctbal > 0.00
                  AND SUBSTRING(c_phone, 1, 2) IN (:code1, :code2, :code3, :code4, :code5, :code6, :code7))
          AND NOT EXISTS (
                SELECT *
                FROM orders
                WHERE o_custkey = c_custkey)) AS custsale
GROUP BY cntrycode
ORDER BY cntrycode
