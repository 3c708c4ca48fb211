-- A parameter divided by a number would have that number's type, with too few digits, so the
-- parameters have explicit types. The statements lock the customer when they read it, because the
-- new C_DATA contains the old one.

-- name: update_warehouse
UPDATE warehouse SET w_ytd = w_ytd + CAST(:h_amount_cents AS INTEGER) * 0.01 WHERE w_id = :w_id

-- name: update_district
UPDATE district SET d_ytd = d_ytd + CAST(:h_amount_cents AS INTEGER) * 0.01 WHERE d_w_id = :w_id AND d_id = :d_id

-- name: select_customer
SELECT c_credit, c_data, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
  c_since, c_credit_lim, c_discount, c_balance
FROM customer WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id WITH RS USE AND KEEP UPDATE LOCKS

-- name: update_customer
UPDATE customer
SET c_balance = c_balance - CAST(:h_amount_cents AS INTEGER) * 0.01, c_ytd_payment = c_ytd_payment + CAST(:h_amount_cents AS INTEGER) * 0.01,
  c_payment_cnt = c_payment_cnt + 1
WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: update_customer_bad_credit
UPDATE customer
SET c_balance = c_balance - CAST(:h_amount_cents AS INTEGER) * 0.01, c_ytd_payment = c_ytd_payment + CAST(:h_amount_cents AS INTEGER) * 0.01,
  c_payment_cnt = c_payment_cnt + 1, c_data = :c_data
WHERE c_w_id = :c_w_id AND c_d_id = :c_d_id AND c_id = :c_id

-- name: insert_history
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
VALUES (:c_id, :c_d_id, :c_w_id, :d_id, :w_id, CURRENT_TIMESTAMP, CAST(:h_amount_cents AS INTEGER) * 0.01, :h_data)
