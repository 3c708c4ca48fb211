-- Stock-Level, TPC-C 2.8.2.2.

-- name: count_low_stock
SELECT COUNT(DISTINCT s_i_id) AS stock_count
FROM district, order_line, stock
WHERE d_w_id = :w_id AND d_id = :d_id
  AND ol_w_id = d_w_id AND ol_d_id = d_id AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id
  AND s_w_id = d_w_id AND s_i_id = ol_i_id AND s_quantity < :threshold
