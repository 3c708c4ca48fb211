-- New-Order, TPC-C 2.4.2.2, as single statements.

-- name: select_customer_warehouse
SELECT c_discount, c_last, c_credit, w_tax
FROM warehouse, customer
WHERE w_id = :w_id AND c_w_id = w_id AND c_d_id = :d_id AND c_id = :c_id

-- name: select_district
SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = :w_id AND d_id = :d_id

-- name: update_district
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w_id AND d_id = :d_id

-- name: insert_order
INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
VALUES (:o_id, :d_id, :w_id, :c_id, CURRENT_TIMESTAMP, NULL, :ol_cnt, :all_local)

-- name: insert_new_order
INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (:o_id, :d_id, :w_id)

-- name: select_item
SELECT FLOOR(i_price * 100 + 0.5) AS i_price_cents, i_name, i_data FROM item WHERE i_id = :i_id

-- name: select_stock
SELECT s_quantity,
  CASE :d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
    WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
    WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS s_dist,
  s_data
FROM stock WHERE s_i_id = :i_id AND s_w_id = :supply_w_id

-- name: update_stock
UPDATE stock
SET s_quantity = :s_quantity, s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + :remote
WHERE s_i_id = :i_id AND s_w_id = :supply_w_id

-- name: insert_order_line
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
VALUES (:o_id, :d_id, :w_id, :number, :i_id, :supply_w_id, :quantity, :amount_cents / 100.0, :s_dist)
