-- Locks the order when it reads it, so that no two deliveries take the same order.

-- name: select_new_order
SELECT no_o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id LIMIT 1 FOR UPDATE
