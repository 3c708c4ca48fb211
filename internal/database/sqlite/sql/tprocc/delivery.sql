-- Rounded to the cent: see payment.sql.

-- name: update_customer
UPDATE customer SET c_balance = ROUND(c_balance + :amount_cents / 100.0, 2), c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id
