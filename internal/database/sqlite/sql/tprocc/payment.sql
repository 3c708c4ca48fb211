-- SQLite has no decimal numbers. Amounts are floating-point numbers, rounded to the cent at every
-- change, so that each is the closest number to the exact amount and errors do not accumulate.

-- name: update_warehouse
UPDATE warehouse SET w_ytd = ROUND(w_ytd + :h_amount_cents / 100.0, 2) WHERE w_id = :w_id

-- name: update_district
UPDATE district SET d_ytd = ROUND(d_ytd + :h_amount_cents / 100.0, 2) WHERE d_w_id = :w_id AND d_id = :d_id

-- name: update_customer
UPDATE customer
SET c_balance = ROUND(c_balance - :h_amount_cents / 100.0, 2),
  c_ytd_payment = ROUND(c_ytd_payment + :h_amount_cents / 100.0, 2), c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: update_customer_bad_credit
UPDATE customer
SET c_balance = ROUND(c_balance - :h_amount_cents / 100.0, 2),
  c_ytd_payment = ROUND(c_ytd_payment + :h_amount_cents / 100.0, 2), c_payment_cnt = c_payment_cnt + 1, c_data = :c_data
WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id
