-- Like the portable statements, but without rounding: amounts are decimals here, and their
-- differences are exact.

-- name: consistency_1
SELECT w_id, w_ytd, SUM(d_ytd) AS sum_d_ytd FROM warehouse JOIN district ON d_w_id = w_id
GROUP BY w_id, w_ytd HAVING w_ytd - SUM(d_ytd) <> 0

-- name: consistency_8
SELECT w_id, w_ytd, COALESCE(h.amount, 0) AS sum_h_amount FROM warehouse
LEFT JOIN (SELECT h_w_id, SUM(h_amount) AS amount FROM history GROUP BY h_w_id) h ON h.h_w_id = w_id
WHERE w_ytd - COALESCE(h.amount, 0) <> 0

-- name: consistency_9
SELECT d_w_id, d_id, d_ytd, COALESCE(h.amount, 0) AS sum_h_amount FROM district
LEFT JOIN (SELECT h_w_id, h_d_id, SUM(h_amount) AS amount FROM history GROUP BY h_w_id, h_d_id) h
  ON h.h_w_id = d_w_id AND h.h_d_id = d_id
WHERE d_ytd - COALESCE(h.amount, 0) <> 0

-- name: consistency_10
SELECT c_w_id, c_d_id, c_id, c_balance, COALESCE(a.amount, 0) AS delivered, COALESCE(h.amount, 0) AS paid FROM customer
LEFT JOIN (
  SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
  JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE ol_delivery_d IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS amount FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
  ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id
WHERE c_balance - COALESCE(a.amount, 0) + COALESCE(h.amount, 0) <> 0

-- name: consistency_12
SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, COALESCE(a.amount, 0) AS delivered FROM customer
LEFT JOIN (
  SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
  JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE ol_delivery_d IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
WHERE c_balance + c_ytd_payment - COALESCE(a.amount, 0) <> 0

-- name: consistency_10_known
SELECT COUNT(*) AS broken, COALESCE(SUM(CASE WHEN t.added > 0 AND t.excess - 2 * t.added = 0 THEN 1 ELSE 0 END), 0) AS explained
FROM (
  SELECT c_balance - COALESCE(a.amount, 0) + COALESCE(h.amount, 0) AS excess, COALESCE(h.whole, 0) - 10 AS added FROM customer
  LEFT JOIN (
    SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
    JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
  LEFT JOIN (
    SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS amount,
      SUM(CASE WHEN h_amount = FLOOR(h_amount) THEN h_amount ELSE 0 END) AS whole
    FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
    ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id) t
WHERE t.excess <> 0

-- name: consistency_12_known
SELECT COUNT(*) AS broken, COALESCE(SUM(CASE WHEN t.added > 0
  AND (t.excess - 2 * t.added = 0 OR t.excess - t.added = 0) THEN 1 ELSE 0 END), 0) AS explained
FROM (
  SELECT c_balance + c_ytd_payment - COALESCE(a.amount, 0) AS excess, COALESCE(h.whole, 0) - 10 AS added FROM customer
  LEFT JOIN (
    SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
    JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
  LEFT JOIN (
    SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(CASE WHEN h_amount = FLOOR(h_amount) THEN h_amount ELSE 0 END) AS whole
    FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
    ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id) t
WHERE t.excess <> 0
