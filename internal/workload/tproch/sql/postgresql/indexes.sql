-- Keys and indexes of each table, built as soon as it is loaded. The conditions are for a resumed
-- build, which repeats this step, because there is no IF NOT EXISTS for keys. The lock waits for a
-- session that may still be creating a key, before the condition is evaluated. The memory is enough
-- to sort a few million keys, and is released at the end of the statement.

-- name: lineitem
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE lineitem IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('lineitem_pk') IS NULL THEN
    ALTER TABLE lineitem ADD CONSTRAINT lineitem_pk PRIMARY KEY (l_orderkey, l_linenumber);
  END IF;
  CREATE INDEX IF NOT EXISTS lineitem_partsupp ON lineitem (l_partkey, l_suppkey);
END $key$

-- name: orders
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE orders IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('orders_pk') IS NULL THEN
    ALTER TABLE orders ADD CONSTRAINT orders_pk PRIMARY KEY (o_orderkey);
  END IF;
  CREATE INDEX IF NOT EXISTS orders_customer ON orders (o_custkey);
END $key$

-- name: partsupp
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE partsupp IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('partsupp_pk') IS NULL THEN
    ALTER TABLE partsupp ADD CONSTRAINT partsupp_pk PRIMARY KEY (ps_partkey, ps_suppkey);
  END IF;
  CREATE INDEX IF NOT EXISTS partsupp_supplier ON partsupp (ps_suppkey);
END $key$

-- name: part
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE part IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('part_pk') IS NULL THEN
    ALTER TABLE part ADD CONSTRAINT part_pk PRIMARY KEY (p_partkey);
  END IF;
END $key$

-- name: customer
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE customer IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('customer_pk') IS NULL THEN
    ALTER TABLE customer ADD CONSTRAINT customer_pk PRIMARY KEY (c_custkey);
  END IF;
  CREATE INDEX IF NOT EXISTS customer_nation ON customer (c_nationkey);
END $key$

-- name: supplier
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE supplier IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('supplier_pk') IS NULL THEN
    ALTER TABLE supplier ADD CONSTRAINT supplier_pk PRIMARY KEY (s_suppkey);
  END IF;
  CREATE INDEX IF NOT EXISTS supplier_nation ON supplier (s_nationkey);
END $key$

-- name: nation
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE nation IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('nation_pk') IS NULL THEN
    ALTER TABLE nation ADD CONSTRAINT nation_pk PRIMARY KEY (n_nationkey);
  END IF;
  CREATE INDEX IF NOT EXISTS nation_region ON nation (n_regionkey);
END $key$

-- name: region
DO $key$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  LOCK TABLE region IN ACCESS EXCLUSIVE MODE;
  IF to_regclass('region_pk') IS NULL THEN
    ALTER TABLE region ADD CONSTRAINT region_pk PRIMARY KEY (r_regionkey);
  END IF;
END $key$
