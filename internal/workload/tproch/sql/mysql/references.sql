-- The references of TPC-H 1.4.2, created after all tables are loaded. Without foreign_key_checks
-- the server only records them, which takes no time; with foreign_key_checks it would copy each
-- table to check its rows. Later changes are checked, and sledge check verifies the loaded rows.
--
-- The conditions are for a resumed build, which repeats this step. Engines without references are
-- skipped, because some would copy the table only to report that.
SET SESSION foreign_key_checks = 0
/
SET @sledge_reference = IF((SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'nation') = 'InnoDB'
    AND NOT EXISTS (SELECT 1 FROM information_schema.table_constraints
      WHERE table_schema = DATABASE() AND table_name = 'nation' AND constraint_name = 'nation_region_fk'),
  'ALTER TABLE nation ADD CONSTRAINT nation_region_fk FOREIGN KEY (n_regionkey) REFERENCES region (r_regionkey)', 'DO 0');
PREPARE sledge_reference FROM @sledge_reference;
EXECUTE sledge_reference;
DEALLOCATE PREPARE sledge_reference
/
SET @sledge_reference = IF((SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'supplier') = 'InnoDB'
    AND NOT EXISTS (SELECT 1 FROM information_schema.table_constraints
      WHERE table_schema = DATABASE() AND table_name = 'supplier' AND constraint_name = 'supplier_nation_fk'),
  'ALTER TABLE supplier ADD CONSTRAINT supplier_nation_fk FOREIGN KEY (s_nationkey) REFERENCES nation (n_nationkey)', 'DO 0');
PREPARE sledge_reference FROM @sledge_reference;
EXECUTE sledge_reference;
DEALLOCATE PREPARE sledge_reference
/
SET @sledge_reference = IF((SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'customer') = 'InnoDB'
    AND NOT EXISTS (SELECT 1 FROM information_schema.table_constraints
      WHERE table_schema = DATABASE() AND table_name = 'customer' AND constraint_name = 'customer_nation_fk'),
  'ALTER TABLE customer ADD CONSTRAINT customer_nation_fk FOREIGN KEY (c_nationkey) REFERENCES nation (n_nationkey)', 'DO 0');
PREPARE sledge_reference FROM @sledge_reference;
EXECUTE sledge_reference;
DEALLOCATE PREPARE sledge_reference
/
SET @sledge_reference = IF((SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'partsupp') = 'InnoDB'
    AND NOT EXISTS (SELECT 1 FROM information_schema.table_constraints
      WHERE table_schema = DATABASE() AND table_name = 'partsupp' AND constraint_name = 'partsupp_part_fk'),
  CONCAT('ALTER TABLE partsupp ',
    'ADD CONSTRAINT partsupp_part_fk FOREIGN KEY (ps_partkey) REFERENCES part (p_partkey)',
    ', ADD CONSTRAINT partsupp_supplier_fk FOREIGN KEY (ps_suppkey) REFERENCES supplier (s_suppkey)'), 'DO 0');
PREPARE sledge_reference FROM @sledge_reference;
EXECUTE sledge_reference;
DEALLOCATE PREPARE sledge_reference
/
SET @sledge_reference = IF((SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'orders') = 'InnoDB'
    AND NOT EXISTS (SELECT 1 FROM information_schema.table_constraints
      WHERE table_schema = DATABASE() AND table_name = 'orders' AND constraint_name = 'orders_customer_fk'),
  'ALTER TABLE orders ADD CONSTRAINT orders_customer_fk FOREIGN KEY (o_custkey) REFERENCES customer (c_custkey)', 'DO 0');
PREPARE sledge_reference FROM @sledge_reference;
EXECUTE sledge_reference;
DEALLOCATE PREPARE sledge_reference
/
SET @sledge_reference = IF((SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'lineitem') = 'InnoDB'
    AND NOT EXISTS (SELECT 1 FROM information_schema.table_constraints
      WHERE table_schema = DATABASE() AND table_name = 'lineitem' AND constraint_name = 'lineitem_partsupp_fk'),
  CONCAT('ALTER TABLE lineitem ',
    'ADD CONSTRAINT lineitem_partsupp_fk FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp (ps_partkey, ps_suppkey)',
    ', ADD CONSTRAINT lineitem_order_fk FOREIGN KEY (l_orderkey) REFERENCES orders (o_orderkey)'), 'DO 0');
PREPARE sledge_reference FROM @sledge_reference;
EXECUTE sledge_reference;
DEALLOCATE PREPARE sledge_reference
/
SET SESSION foreign_key_checks = 1
