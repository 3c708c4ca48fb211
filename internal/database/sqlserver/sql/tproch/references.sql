-- The references of TPC-H 1.4.2, when all tables are loaded and have their keys. First they are
-- declared, which takes no time and locks both tables; then the rows that are there are compared,
-- of several tables side by side. An interrupted build begins here again, hence the conditions.
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'nation_region_fk')
  ALTER TABLE dbo.nation WITH NOCHECK ADD CONSTRAINT nation_region_fk FOREIGN KEY (n_regionkey) REFERENCES dbo.region (r_regionkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'supplier_nation_fk')
  ALTER TABLE dbo.supplier WITH NOCHECK ADD CONSTRAINT supplier_nation_fk FOREIGN KEY (s_nationkey) REFERENCES dbo.nation (n_nationkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'customer_nation_fk')
  ALTER TABLE dbo.customer WITH NOCHECK ADD CONSTRAINT customer_nation_fk FOREIGN KEY (c_nationkey) REFERENCES dbo.nation (n_nationkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'partsupp_part_fk')
  ALTER TABLE dbo.partsupp WITH NOCHECK ADD CONSTRAINT partsupp_part_fk FOREIGN KEY (ps_partkey) REFERENCES dbo.part (p_partkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'partsupp_supplier_fk')
  ALTER TABLE dbo.partsupp WITH NOCHECK ADD CONSTRAINT partsupp_supplier_fk FOREIGN KEY (ps_suppkey) REFERENCES dbo.supplier (s_suppkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'orders_customer_fk')
  ALTER TABLE dbo.orders WITH NOCHECK ADD CONSTRAINT orders_customer_fk FOREIGN KEY (o_custkey) REFERENCES dbo.customer (c_custkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'lineitem_partsupp_fk')
  ALTER TABLE dbo.lineitem WITH NOCHECK ADD CONSTRAINT lineitem_partsupp_fk FOREIGN KEY (l_partkey, l_suppkey) REFERENCES dbo.partsupp (ps_partkey, ps_suppkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.foreign_keys WHERE name = 'lineitem_order_fk')
  ALTER TABLE dbo.lineitem WITH NOCHECK ADD CONSTRAINT lineitem_order_fk FOREIGN KEY (l_orderkey) REFERENCES dbo.orders (o_orderkey)

-- name: lineitem
ALTER TABLE dbo.lineitem WITH CHECK CHECK CONSTRAINT lineitem_partsupp_fk
/
ALTER TABLE dbo.lineitem WITH CHECK CHECK CONSTRAINT lineitem_order_fk

-- name: orders
ALTER TABLE dbo.orders WITH CHECK CHECK CONSTRAINT orders_customer_fk

-- name: partsupp
ALTER TABLE dbo.partsupp WITH CHECK CHECK CONSTRAINT partsupp_part_fk
/
ALTER TABLE dbo.partsupp WITH CHECK CHECK CONSTRAINT partsupp_supplier_fk

-- name: customer
ALTER TABLE dbo.customer WITH CHECK CHECK CONSTRAINT customer_nation_fk

-- name: supplier
ALTER TABLE dbo.supplier WITH CHECK CHECK CONSTRAINT supplier_nation_fk

-- name: nation
ALTER TABLE dbo.nation WITH CHECK CHECK CONSTRAINT nation_region_fk
