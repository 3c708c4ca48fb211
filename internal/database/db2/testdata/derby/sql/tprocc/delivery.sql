-- Derby cannot lock rows that it sorts.
-- name: select_new_order
SELECT no_o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = :d_id ORDER BY no_o_id FETCH FIRST 1 ROW ONLY
