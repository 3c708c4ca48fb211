-- Sums of money have four decimal places, which must not appear in whole numbers of cents.

-- name: payments
SELECT h_w_id AS w_id, h_d_id AS d_id, COUNT(*) AS payments, CAST(ROUND(SUM(h_amount) * 100, 0) AS bigint) AS cents
FROM history GROUP BY h_w_id, h_d_id
