-- Derby has no lock clause, and no CASE with a value.

-- name: select_district
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :w_id AND d_id = :d_id FOR UPDATE WITH RS

-- name: select_stock
SELECT s_quantity,
  CASE WHEN :d_id = 1 THEN s_dist_01 WHEN :d_id = 2 THEN s_dist_02 WHEN :d_id = 3 THEN s_dist_03 WHEN :d_id = 4 THEN s_dist_04
    WHEN :d_id = 5 THEN s_dist_05 WHEN :d_id = 6 THEN s_dist_06 WHEN :d_id = 7 THEN s_dist_07 WHEN :d_id = 8 THEN s_dist_08
    WHEN :d_id = 9 THEN s_dist_09 ELSE s_dist_10 END AS s_dist,
  s_data
FROM stock WHERE s_i_id = :i_id AND s_w_id = :supply_w_id FOR UPDATE WITH RS
