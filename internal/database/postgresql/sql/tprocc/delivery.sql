-- Locks the order when it finds it: of two deliveries at the same time, the second waits for the
-- first and then gets the next oldest order.
-- name: select_new_order
SELECT no_o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id LIMIT 1 FOR UPDATE
