-- Locks the order when it finds it. Oracle cannot lock the first rows of a sorted query, so a
-- subquery finds the lowest number.
-- name: select_new_order
SELECT no_o_id FROM new_order
WHERE no_w_id = :w_id AND no_d_id = :d_id
  AND no_o_id = (SELECT MIN(n.no_o_id) FROM new_order n WHERE n.no_w_id = :w_id AND n.no_d_id = :d_id)
FOR UPDATE
