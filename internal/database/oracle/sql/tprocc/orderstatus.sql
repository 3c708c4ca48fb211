-- Oracle has no LIMIT.
-- name: select_last_order
SELECT o_id, o_entry_d, o_carrier_id
FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_c_id = :c_id
ORDER BY o_id DESC FETCH FIRST 1 ROWS ONLY
