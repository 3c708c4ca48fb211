-- Statements that differ from the portable ones: they lock the rows that the transaction will
-- change, which prevents two orders from taking the same number or stock, and give the type of a
-- parameter if nothing next to it does.

-- name: select_district
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :w_id AND d_id = :d_id WITH RS USE AND KEEP UPDATE LOCKS

-- name: select_stock
SELECT s_quantity,
  CASE CAST(:d_id AS INTEGER) WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS s_dist,
  s_data
FROM stock WHERE s_i_id = :i_id AND s_w_id = :supply_w_id WITH RS USE AND KEEP UPDATE LOCKS

-- name: insert_order_line
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
VALUES (:o_id, :d_id, :w_id, :number, :i_id, :supply_w_id, :quantity, CAST(:amount_cents AS INTEGER) * 0.01, :s_dist)
