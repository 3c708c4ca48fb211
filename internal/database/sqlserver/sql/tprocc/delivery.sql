-- Locks the oldest order when it reads it, so that no other delivery takes the same order.

-- name: select_new_order
SELECT TOP 1 no_o_id FROM new_order WITH (UPDLOCK) WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id

-- name: select_amount
SELECT CAST(SUM(ol_amount) * 100 AS bigint) AS amount_cents
FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id
