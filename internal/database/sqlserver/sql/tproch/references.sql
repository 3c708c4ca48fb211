-- The foreign keys of TPC-H 1.4.2, added when all tables are loaded and have their keys. Each
-- statement locks its table and then the referenced table while it compares the rows. This cannot
-- deadlock, because the references form no cycle. The conditions are for a resumed build, which
-- repeats these statements.
--
-- Declaring them WITH NOCHECK and comparing the rows later would lock less, but Babelfish does not
-- support it.

-- name: lineitem
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'lineitem_partsupp_fk')
  ALTER TABLE dbo.lineitem ADD CONSTRAINT lineitem_partsupp_fk FOREIGN KEY (l_partkey, l_suppkey) REFERENCES dbo.partsupp (ps_partkey, ps_suppkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'lineitem_order_fk')
  ALTER TABLE dbo.lineitem ADD CONSTRAINT lineitem_order_fk FOREIGN KEY (l_orderkey) REFERENCES dbo.orders (o_orderkey)

-- name: orders
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'orders_customer_fk')
  ALTER TABLE dbo.orders ADD CONSTRAINT orders_customer_fk FOREIGN KEY (o_custkey) REFERENCES dbo.customer (c_custkey)

-- name: partsupp
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'partsupp_part_fk')
  ALTER TABLE dbo.partsupp ADD CONSTRAINT partsupp_part_fk FOREIGN KEY (ps_partkey) REFERENCES dbo.part (p_partkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'partsupp_supplier_fk')
  ALTER TABLE dbo.partsupp ADD CONSTRAINT partsupp_supplier_fk FOREIGN KEY (ps_suppkey) REFERENCES dbo.supplier (s_suppkey)

-- name: customer
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'customer_nation_fk')
  ALTER TABLE dbo.customer ADD CONSTRAINT customer_nation_fk FOREIGN KEY (c_nationkey) REFERENCES dbo.nation (n_nationkey)

-- name: supplier
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'supplier_nation_fk')
  ALTER TABLE dbo.supplier ADD CONSTRAINT supplier_nation_fk FOREIGN KEY (s_nationkey) REFERENCES dbo.nation (n_nationkey)

-- name: nation
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'nation_region_fk')
  ALTER TABLE dbo.nation ADD CONSTRAINT nation_region_fk FOREIGN KEY (n_regionkey) REFERENCES dbo.region (r_regionkey)
