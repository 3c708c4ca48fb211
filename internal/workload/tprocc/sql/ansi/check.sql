-- The rules of a check. Each query returns the rows that break a rule. Amounts are compared by
-- rounding the difference to cents, which is necessary for floating-point numbers and does not
-- change decimals.

-- name: warehouses
SELECT w_id FROM warehouse WHERE w_id < 1 OR w_id > (SELECT COUNT(*) FROM warehouse)

-- name: districts
SELECT w_id, COUNT(d_id) AS districts FROM warehouse LEFT JOIN district ON d_w_id = w_id
GROUP BY w_id HAVING COUNT(d_id) <> 10

-- name: customers
SELECT d_w_id, d_id, COUNT(c_id) AS customers FROM district LEFT JOIN customer ON c_w_id = d_w_id AND c_d_id = d_id
GROUP BY d_w_id, d_id HAVING COUNT(c_id) <> 3000

-- name: history
SELECT d_w_id, d_id, COALESCE(h.n, 0) AS rows_there FROM district
LEFT JOIN (SELECT h_c_w_id, h_c_d_id, COUNT(*) AS n FROM history GROUP BY h_c_w_id, h_c_d_id) h
  ON h.h_c_w_id = d_w_id AND h.h_c_d_id = d_id
WHERE COALESCE(h.n, 0) < 3000

-- name: items
SELECT t.items FROM (SELECT COUNT(*) AS items, MIN(i_id) AS low, MAX(i_id) AS high FROM item) t
WHERE t.items <> 100000 OR t.low <> 1 OR t.high <> 100000

-- name: stock
SELECT w_id, COALESCE(s.n, 0) AS rows_there FROM warehouse
LEFT JOIN (SELECT s_w_id, COUNT(*) AS n FROM stock GROUP BY s_w_id) s ON s.s_w_id = w_id
WHERE COALESCE(s.n, 0) <> 100000

-- name: orders
SELECT d_w_id, d_id, COALESCE(o.n, 0) AS rows_there FROM district
LEFT JOIN (SELECT o_w_id, o_d_id, COUNT(*) AS n FROM orders GROUP BY o_w_id, o_d_id) o ON o.o_w_id = d_w_id AND o.o_d_id = d_id
WHERE COALESCE(o.n, 0) < 3000

-- name: consistency_1
SELECT w_id, w_ytd, SUM(d_ytd) AS sum_d_ytd FROM warehouse JOIN district ON d_w_id = w_id
GROUP BY w_id, w_ytd HAVING ROUND(w_ytd - SUM(d_ytd), 2) <> 0

-- name: consistency_2
SELECT d_w_id, d_id, d_next_o_id, o.newest AS last_order, n.newest AS last_new_order FROM district
LEFT JOIN (SELECT o_w_id, o_d_id, MAX(o_id) AS newest FROM orders GROUP BY o_w_id, o_d_id) o ON o.o_w_id = d_w_id AND o.o_d_id = d_id
LEFT JOIN (SELECT no_w_id, no_d_id, MAX(no_o_id) AS newest FROM new_order GROUP BY no_w_id, no_d_id) n ON n.no_w_id = d_w_id AND n.no_d_id = d_id
WHERE o.newest IS NULL OR d_next_o_id - 1 <> o.newest OR (n.newest IS NOT NULL AND n.newest <> o.newest)

-- name: consistency_3
SELECT no_w_id, no_d_id, MIN(no_o_id) AS first_new_order, MAX(no_o_id) AS last_new_order, COUNT(*) AS new_orders FROM new_order
GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)

-- name: consistency_4
SELECT o.w_id, o.d_id, o.sum_ol_cnt, COALESCE(l.line_count, 0) AS order_lines
FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, SUM(o_ol_cnt) AS sum_ol_cnt FROM orders GROUP BY o_w_id, o_d_id) o
LEFT JOIN (SELECT ol_w_id AS w_id, ol_d_id AS d_id, COUNT(*) AS line_count FROM order_line GROUP BY ol_w_id, ol_d_id) l
  ON l.w_id = o.w_id AND l.d_id = o.d_id
WHERE o.sum_ol_cnt <> COALESCE(l.line_count, 0)

-- name: consistency_5
SELECT o_w_id, o_d_id, o_id, o_carrier_id FROM orders
LEFT JOIN new_order ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
WHERE (o_carrier_id IS NULL AND no_o_id IS NULL) OR (o_carrier_id IS NOT NULL AND no_o_id IS NOT NULL)

-- name: consistency_6
SELECT o_w_id, o_d_id, o_id, o_ol_cnt, COALESCE(l.line_count, 0) AS order_lines FROM orders
LEFT JOIN (SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) AS line_count FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id) l
  ON l.ol_w_id = o_w_id AND l.ol_d_id = o_d_id AND l.ol_o_id = o_id
WHERE COALESCE(l.line_count, 0) <> o_ol_cnt

-- name: consistency_7
SELECT ol_w_id, ol_d_id, ol_o_id, ol_number FROM order_line
JOIN orders ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = ol_o_id
WHERE (ol_delivery_d IS NULL AND o_carrier_id IS NOT NULL) OR (ol_delivery_d IS NOT NULL AND o_carrier_id IS NULL)

-- name: consistency_8
SELECT w_id, w_ytd, COALESCE(h.amount, 0) AS sum_h_amount FROM warehouse
LEFT JOIN (SELECT h_w_id, SUM(h_amount) AS amount FROM history GROUP BY h_w_id) h ON h.h_w_id = w_id
WHERE ROUND(w_ytd - COALESCE(h.amount, 0), 2) <> 0

-- name: consistency_9
SELECT d_w_id, d_id, d_ytd, COALESCE(h.amount, 0) AS sum_h_amount FROM district
LEFT JOIN (SELECT h_w_id, h_d_id, SUM(h_amount) AS amount FROM history GROUP BY h_w_id, h_d_id) h
  ON h.h_w_id = d_w_id AND h.h_d_id = d_id
WHERE ROUND(d_ytd - COALESCE(h.amount, 0), 2) <> 0

-- name: consistency_10
SELECT c_w_id, c_d_id, c_id, c_balance, COALESCE(a.amount, 0) AS delivered, COALESCE(h.amount, 0) AS paid FROM customer
LEFT JOIN (
  SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
  JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE ol_delivery_d IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS amount FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
  ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id
WHERE ROUND(c_balance - COALESCE(a.amount, 0) + COALESCE(h.amount, 0), 2) <> 0

-- TPC-C 3.3.2.11 describes a new schema: each district has 2100 more orders than new orders. Later
-- the difference grows by the orders delivered since.
-- name: consistency_11
SELECT o.w_id, o.d_id, o.orders, COALESCE(n.new_orders, 0) AS new_orders, o.delivered
FROM (SELECT o_w_id AS w_id, o_d_id AS d_id, COUNT(*) AS orders,
        SUM(CASE WHEN o_id > 2100 AND o_carrier_id IS NOT NULL THEN 1 ELSE 0 END) AS delivered
      FROM orders GROUP BY o_w_id, o_d_id) o
LEFT JOIN (SELECT no_w_id AS w_id, no_d_id AS d_id, COUNT(*) AS new_orders FROM new_order GROUP BY no_w_id, no_d_id) n
  ON n.w_id = o.w_id AND n.d_id = o.d_id
WHERE o.orders - COALESCE(n.new_orders, 0) <> 2100 + o.delivered

-- name: consistency_12
SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, COALESCE(a.amount, 0) AS delivered FROM customer
LEFT JOIN (
  SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
  JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
  WHERE ol_delivery_d IS NOT NULL
  GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
WHERE ROUND(c_balance + c_ytd_payment - COALESCE(a.amount, 0), 2) <> 0

-- The number of customers that break a condition about balances, and the number for which the
-- reason is that whole-dollar payments were added to the balance (see addedPayments). The loader
-- made every customer's first payment, of 10.00.
-- name: consistency_10_known
SELECT COUNT(*) AS broken, COALESCE(SUM(CASE WHEN t.added > 0 AND ROUND(t.excess - 2 * t.added, 2) = 0 THEN 1 ELSE 0 END), 0) AS explained
FROM (
  SELECT c_balance - COALESCE(a.amount, 0) + COALESCE(h.amount, 0) AS excess, COALESCE(h.whole, 0) - 10 AS added FROM customer
  LEFT JOIN (
    SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
    JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
  LEFT JOIN (
    SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) AS amount,
      SUM(CASE WHEN h_amount = ROUND(h_amount, 0) THEN h_amount ELSE 0 END) AS whole
    FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
    ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id) t
WHERE ROUND(t.excess, 2) <> 0

-- name: consistency_12_known
SELECT COUNT(*) AS broken, COALESCE(SUM(CASE WHEN t.added > 0
  AND (ROUND(t.excess - 2 * t.added, 2) = 0 OR ROUND(t.excess - t.added, 2) = 0) THEN 1 ELSE 0 END), 0) AS explained
FROM (
  SELECT c_balance + c_ytd_payment - COALESCE(a.amount, 0) AS excess, COALESCE(h.whole, 0) - 10 AS added FROM customer
  LEFT JOIN (
    SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) AS amount FROM orders
    JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
    WHERE ol_delivery_d IS NOT NULL
    GROUP BY o_w_id, o_d_id, o_c_id) a ON a.o_w_id = c_w_id AND a.o_d_id = c_d_id AND a.o_c_id = c_id
  LEFT JOIN (
    SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(CASE WHEN h_amount = ROUND(h_amount, 0) THEN h_amount ELSE 0 END) AS whole
    FROM history GROUP BY h_c_w_id, h_c_d_id, h_c_id) h
    ON h.h_c_w_id = c_w_id AND h.h_c_d_id = c_d_id AND h.h_c_id = c_id) t
WHERE ROUND(t.excess, 2) <> 0
