-- Delivery, TPC-C 2.7.4.2, as single statements, for one of the ten districts.

-- name: select_new_order
SELECT no_o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id LIMIT 1

-- name: delete_new_order
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id AND no_o_id = :o_id

-- name: select_order
SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id = :o_id

-- name: update_order
UPDATE orders SET o_carrier_id = :carrier_id WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id = :o_id

-- name: update_order_lines
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id

-- name: select_amount
SELECT FLOOR(SUM(ol_amount) * 100 + 0.5) AS amount_cents
FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id

-- name: update_customer
UPDATE customer SET c_balance = c_balance + :amount_cents / 100.0, c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id
