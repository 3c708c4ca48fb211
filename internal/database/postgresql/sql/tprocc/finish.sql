-- Statistics for the planner, and the visibility map, which the load leaves empty: otherwise
-- autovacuum would create it in the middle of the first run.
--
-- Columns by which no query selects rows need no statistics. Sorting samples of them would take
-- most of the time, here and in each autovacuum.

-- name: order_line
ALTER TABLE order_line
  ALTER ol_delivery_d SET STATISTICS 0, ALTER ol_amount SET STATISTICS 0,
  ALTER ol_supply_w_id SET STATISTICS 0, ALTER ol_quantity SET STATISTICS 0,
  ALTER ol_dist_info SET STATISTICS 0
/
VACUUM (ANALYZE) order_line

-- name: stock
ALTER TABLE stock
  ALTER s_ytd SET STATISTICS 0, ALTER s_order_cnt SET STATISTICS 0,
  ALTER s_remote_cnt SET STATISTICS 0, ALTER s_dist_01 SET STATISTICS 0,
  ALTER s_dist_02 SET STATISTICS 0, ALTER s_dist_03 SET STATISTICS 0,
  ALTER s_dist_04 SET STATISTICS 0, ALTER s_dist_05 SET STATISTICS 0,
  ALTER s_dist_06 SET STATISTICS 0, ALTER s_dist_07 SET STATISTICS 0,
  ALTER s_dist_08 SET STATISTICS 0, ALTER s_dist_09 SET STATISTICS 0,
  ALTER s_dist_10 SET STATISTICS 0, ALTER s_data SET STATISTICS 0
/
VACUUM (ANALYZE) stock

-- name: customer
ALTER TABLE customer
  ALTER c_middle SET STATISTICS 0, ALTER c_street_1 SET STATISTICS 0,
  ALTER c_street_2 SET STATISTICS 0, ALTER c_city SET STATISTICS 0, ALTER c_state SET STATISTICS 0,
  ALTER c_zip SET STATISTICS 0, ALTER c_phone SET STATISTICS 0, ALTER c_since SET STATISTICS 0,
  ALTER c_credit SET STATISTICS 0, ALTER c_credit_lim SET STATISTICS 0,
  ALTER c_discount SET STATISTICS 0, ALTER c_balance SET STATISTICS 0,
  ALTER c_ytd_payment SET STATISTICS 0, ALTER c_payment_cnt SET STATISTICS 0,
  ALTER c_delivery_cnt SET STATISTICS 0, ALTER c_data SET STATISTICS 0
/
VACUUM (ANALYZE) customer

-- name: history
ALTER TABLE history
  ALTER h_date SET STATISTICS 0, ALTER h_amount SET STATISTICS 0, ALTER h_data SET STATISTICS 0
/
VACUUM (ANALYZE) history

-- name: orders
ALTER TABLE orders
  ALTER o_entry_d SET STATISTICS 0, ALTER o_ol_cnt SET STATISTICS 0,
  ALTER o_all_local SET STATISTICS 0
/
VACUUM (ANALYZE) orders

-- name: new_order
VACUUM (ANALYZE) new_order

-- name: item
ALTER TABLE item
  ALTER i_im_id SET STATISTICS 0, ALTER i_name SET STATISTICS 0, ALTER i_price SET STATISTICS 0,
  ALTER i_data SET STATISTICS 0
/
VACUUM (ANALYZE) item

-- name: district
VACUUM (ANALYZE) district

-- name: warehouse
VACUUM (ANALYZE) warehouse
