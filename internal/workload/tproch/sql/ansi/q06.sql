-- Forecasting revenue change: the increase of a year's revenue without discounts of about :discount
-- on small quantities (TPC-H 2.4.6). Validation: :date '1994-01-01', and so :until '1995-01-01';
-- :discount_from 0.05 and :discount_to 0.07, around 0.06; :quantity 24.
SELECT SUM(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= :date
  AND l_shipdate < :until
  AND l_discount BETWEEN :discount_from AND :discount_to
  AND l_quantity < :quantity
