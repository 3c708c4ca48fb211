-- The references of TPC-H 1.4.2, created after all tables are loaded and have their keys. The
-- reference of lines to their order is deferrable, so that lines may be inserted before the order.
--
-- First the references are declared, which takes no time but locks both tables. Then the rows are
-- validated, which locks neither table, so several tables are validated in parallel.
DO $references$
DECLARE
  reference record;
BEGIN
  FOR reference IN
    SELECT * FROM (VALUES
      ('nation', 'nation_region_fk', '(n_regionkey) REFERENCES region'),
      ('supplier', 'supplier_nation_fk', '(s_nationkey) REFERENCES nation'),
      ('customer', 'customer_nation_fk', '(c_nationkey) REFERENCES nation'),
      ('partsupp', 'partsupp_part_fk', '(ps_partkey) REFERENCES part'),
      ('partsupp', 'partsupp_supplier_fk', '(ps_suppkey) REFERENCES supplier'),
      ('orders', 'orders_customer_fk', '(o_custkey) REFERENCES customer'),
      ('lineitem', 'lineitem_partsupp_fk', '(l_partkey, l_suppkey) REFERENCES partsupp'),
      ('lineitem', 'lineitem_order_fk', '(l_orderkey) REFERENCES orders DEFERRABLE')
    ) AS r (of_table, name, definition)
  LOOP
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', reference.of_table);
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conname = reference.name AND conrelid = reference.of_table::regclass) THEN
      EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I FOREIGN KEY %s NOT VALID', reference.of_table, reference.name, reference.definition);
    END IF;
  END LOOP;
END $references$
/

-- Validated references are skipped. The memory is for the keys of the referenced table, and is
-- released at the end of the statement.

-- name: lineitem
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE lineitem VALIDATE CONSTRAINT lineitem_partsupp_fk;
END $check$
/
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE lineitem VALIDATE CONSTRAINT lineitem_order_fk;
END $check$

-- name: orders
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE orders VALIDATE CONSTRAINT orders_customer_fk;
END $check$

-- name: partsupp
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE partsupp VALIDATE CONSTRAINT partsupp_part_fk;
END $check$
/
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE partsupp VALIDATE CONSTRAINT partsupp_supplier_fk;
END $check$

-- name: customer
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE customer VALIDATE CONSTRAINT customer_nation_fk;
END $check$

-- name: supplier
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE supplier VALIDATE CONSTRAINT supplier_nation_fk;
END $check$

-- name: nation
DO $check$ BEGIN
  PERFORM set_config('maintenance_work_mem', '256MB', true);
  ALTER TABLE nation VALIDATE CONSTRAINT nation_region_fk;
END $check$
