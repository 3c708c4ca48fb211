-- Keys and indexes of each table, built as soon as it is loaded. The conditions are for a resumed
-- build, which repeats these statements, because keys have no IF NOT EXISTS. The lock waits for a
-- session that may still be building a key, before the check whether the key exists. Sorting a few
-- million keys takes this memory, which the session has only until the statement ends.

-- name: order_line
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE order_line IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('order_line_i1') IS NULL THEN
    ALTER TABLE order_line ADD CONSTRAINT order_line_i1 PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number);
  END IF;
END $key$

-- name: stock
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE stock IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('stock_i1') IS NULL THEN
    ALTER TABLE stock ADD CONSTRAINT stock_i1 PRIMARY KEY (s_i_id, s_w_id);
  END IF;
END $key$

-- name: customer
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE customer IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('customer_i1') IS NULL THEN
    ALTER TABLE customer ADD CONSTRAINT customer_i1 PRIMARY KEY (c_w_id, c_d_id, c_id);
  END IF;
  CREATE UNIQUE INDEX IF NOT EXISTS customer_i2 ON customer (c_w_id, c_d_id, c_last, c_first, c_id);
END $key$

-- name: orders
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE orders IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('orders_i1') IS NULL THEN
    ALTER TABLE orders ADD CONSTRAINT orders_i1 PRIMARY KEY (o_w_id, o_d_id, o_id);
  END IF;
  CREATE UNIQUE INDEX IF NOT EXISTS orders_i2 ON orders (o_w_id, o_d_id, o_c_id, o_id);
END $key$

-- name: new_order
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE new_order IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('new_order_i1') IS NULL THEN
    ALTER TABLE new_order ADD CONSTRAINT new_order_i1 PRIMARY KEY (no_w_id, no_d_id, no_o_id);
  END IF;
END $key$

-- name: item
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE item IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('item_i1') IS NULL THEN
    ALTER TABLE item ADD CONSTRAINT item_i1 PRIMARY KEY (i_id);
  END IF;
END $key$

-- name: district
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE district IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('district_i1') IS NULL THEN
    ALTER TABLE district ADD CONSTRAINT district_i1 PRIMARY KEY (d_w_id, d_id);
  END IF;
END $key$

-- name: warehouse
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE warehouse IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('warehouse_i1') IS NULL THEN
    ALTER TABLE warehouse ADD CONSTRAINT warehouse_i1 PRIMARY KEY (w_id);
  END IF;
END $key$
