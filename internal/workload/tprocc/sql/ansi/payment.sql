-- Payment, TPC-C 2.5.2.2, as single statements. The customer comes first and the warehouse last, so
-- that the rows that all users need are locked for the shortest time.

-- name: update_warehouse
UPDATE warehouse SET w_ytd = w_ytd + :h_amount_cents / 100.0 WHERE w_id = :w_id

-- name: select_warehouse
SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = :w_id

-- name: update_district
UPDATE district SET d_ytd = d_ytd + :h_amount_cents / 100.0 WHERE d_w_id = :w_id AND d_id = :d_id

-- name: select_district
SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district WHERE d_w_id = :w_id AND d_id = :d_id

-- name: select_customers_by_name
SELECT c_id FROM customer WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_last = :c_last ORDER BY c_first

-- name: select_customer
SELECT c_credit, c_data, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
  c_since, c_credit_lim, c_discount, c_balance
FROM customer WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: update_customer
UPDATE customer
SET c_balance = c_balance - :h_amount_cents / 100.0, c_ytd_payment = c_ytd_payment + :h_amount_cents / 100.0,
  c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: update_customer_bad_credit
UPDATE customer
SET c_balance = c_balance - :h_amount_cents / 100.0, c_ytd_payment = c_ytd_payment + :h_amount_cents / 100.0,
  c_payment_cnt = c_payment_cnt + 1, c_data = :c_data
WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: insert_history
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES (:c_id, :c_d_id, :c_w_id, :d_id, :w_id, CURRENT_TIMESTAMP, :h_amount_cents / 100.0, :h_data)
