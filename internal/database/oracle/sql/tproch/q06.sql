-- Forecasting revenue change: what a year's revenue would have gained without discounts of
-- about :discount on small quantities (TPC-H 2.4.6).
-- Validation: :date '1994-01-01', and so :until '1995-01-01'; :discount_from 0.05 and
-- :discount_to 0.07, around 0.06; :quantity 24.
SELECT SUM(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= TO_DATE(:date, 'YYYY-MM-DD')
  AND l_shipdate < TO_DATE(:until, 'YYYY-MM-DD')
  AND l_discount BETWEEN :discount_from AND :discount_to
  AND l_quantity < :quantity
