-- Queries of the ledger's audit: the state of each district before and after the run, and the
-- orders of the run.

-- name: districts
SELECT d_w_id AS w_id, d_id, d_next_o_id AS next_o_id FROM district

-- name: payments
SELECT h_w_id AS w_id, h_d_id AS d_id, COUNT(*) AS payments, FLOOR(SUM(h_amount) * 100 + 0.5) AS cents
FROM history GROUP BY h_w_id, h_d_id

-- name: undelivered
SELECT no_w_id AS w_id, no_d_id AS d_id, COUNT(*) AS undelivered FROM new_order GROUP BY no_w_id, no_d_id

-- name: orders
SELECT o_id, o_c_id AS c_id, o_ol_cnt AS ol_cnt FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id >= :next_o_id
