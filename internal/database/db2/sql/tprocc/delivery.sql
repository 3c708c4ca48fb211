-- Locks the order when it finds it: of two deliveries at the same time, the second waits for the
-- first and then gets the next oldest order.
-- name: select_new_order
SELECT no_o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id FETCH FIRST 1 ROW ONLY WITH RS USE AND KEEP UPDATE LOCKS

-- name: update_customer
UPDATE customer SET c_balance = c_balance + CAST(:amount_cents AS INTEGER) * 0.01, c_delivery_cnt = c_delivery_cnt + 1
WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id
