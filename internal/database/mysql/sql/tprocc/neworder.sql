-- Locks rows when it reads them, if it will change them, because a plain SELECT returns them as
-- they were when the transaction began.

-- name: select_district
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :w_id AND d_id = :d_id FOR UPDATE

-- name: select_stock
SELECT s_quantity,
  CASE :d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS s_dist,
  s_data
FROM stock WHERE s_w_id = :supply_w_id AND s_i_id = :i_id FOR UPDATE
