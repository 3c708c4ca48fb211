-- Indexes and keys of each table, built as soon as it is loaded. The clustered index of orders and
-- lineitem is on their dates, by which queries select, and that of all other tables on their keys,
-- unless it is a columnstore. Keys that are not clustered are separate indexes. If orders and
-- lineitem are partitioned by date, so are their clustered indexes, but not their other indexes,
-- whose keys contain no dates.
--
-- The conditions are for a resumed build, which repeats these statements, because indexes have no
-- IF NOT EXISTS. Babelfish appends the table and a hash to the name of an index.

-- name: lineitem
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.lineitem') AND name LIKE 'lineitem_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX lineitem_columns ON dbo.lineitem WITH (MAXDOP = {{.Connection.MaxDOP}})
{{- else}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.lineitem') AND name LIKE 'lineitem_shipped%')
  CREATE CLUSTERED INDEX lineitem_shipped ON dbo.lineitem (l_shipdate) WITH (MAXDOP = {{.Connection.MaxDOP}})
{{- end}}
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.lineitem') AND name LIKE 'lineitem_pk%')
  ALTER TABLE dbo.lineitem ADD CONSTRAINT lineitem_pk PRIMARY KEY NONCLUSTERED (l_orderkey, l_linenumber) ON [PRIMARY]
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.lineitem') AND name LIKE 'lineitem_partsupp%')
  CREATE NONCLUSTERED INDEX lineitem_partsupp ON dbo.lineitem (l_partkey, l_suppkey) WITH (MAXDOP = {{.Connection.MaxDOP}}){{if .Connection.Partition}} ON [PRIMARY]{{end}}

-- name: orders
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.orders') AND name LIKE 'orders_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX orders_columns ON dbo.orders WITH (MAXDOP = {{.Connection.MaxDOP}})
{{- else}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.orders') AND name LIKE 'orders_date%')
  CREATE CLUSTERED INDEX orders_date ON dbo.orders (o_orderdate) WITH (MAXDOP = {{.Connection.MaxDOP}})
{{- end}}
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.orders') AND name LIKE 'orders_pk%')
  ALTER TABLE dbo.orders ADD CONSTRAINT orders_pk PRIMARY KEY NONCLUSTERED (o_orderkey) ON [PRIMARY]
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.orders') AND name LIKE 'orders_customer%')
  CREATE NONCLUSTERED INDEX orders_customer ON dbo.orders (o_custkey) WITH (MAXDOP = {{.Connection.MaxDOP}}){{if .Connection.Partition}} ON [PRIMARY]{{end}}

-- name: partsupp
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.partsupp') AND name LIKE 'partsupp_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX partsupp_columns ON dbo.partsupp WITH (MAXDOP = {{.Connection.MaxDOP}})
/
{{- end}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.partsupp') AND name LIKE 'partsupp_pk%')
  ALTER TABLE dbo.partsupp ADD CONSTRAINT partsupp_pk PRIMARY KEY {{if .Connection.Columnstore}}NONCLUSTERED{{else}}CLUSTERED{{end}} (ps_partkey, ps_suppkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.partsupp') AND name LIKE 'partsupp_supplier%')
  CREATE NONCLUSTERED INDEX partsupp_supplier ON dbo.partsupp (ps_suppkey) WITH (MAXDOP = {{.Connection.MaxDOP}})

-- name: part
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.part') AND name LIKE 'part_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX part_columns ON dbo.part WITH (MAXDOP = {{.Connection.MaxDOP}})
/
{{- end}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.part') AND name LIKE 'part_pk%')
  ALTER TABLE dbo.part ADD CONSTRAINT part_pk PRIMARY KEY {{if .Connection.Columnstore}}NONCLUSTERED{{else}}CLUSTERED{{end}} (p_partkey)

-- name: customer
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.customer') AND name LIKE 'customer_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX customer_columns ON dbo.customer WITH (MAXDOP = {{.Connection.MaxDOP}})
/
{{- end}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.customer') AND name LIKE 'customer_pk%')
  ALTER TABLE dbo.customer ADD CONSTRAINT customer_pk PRIMARY KEY {{if .Connection.Columnstore}}NONCLUSTERED{{else}}CLUSTERED{{end}} (c_custkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.customer') AND name LIKE 'customer_nation%')
  CREATE NONCLUSTERED INDEX customer_nation ON dbo.customer (c_nationkey) WITH (MAXDOP = {{.Connection.MaxDOP}})

-- name: supplier
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.supplier') AND name LIKE 'supplier_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX supplier_columns ON dbo.supplier WITH (MAXDOP = {{.Connection.MaxDOP}})
/
{{- end}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.supplier') AND name LIKE 'supplier_pk%')
  ALTER TABLE dbo.supplier ADD CONSTRAINT supplier_pk PRIMARY KEY {{if .Connection.Columnstore}}NONCLUSTERED{{else}}CLUSTERED{{end}} (s_suppkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.supplier') AND name LIKE 'supplier_nation%')
  CREATE NONCLUSTERED INDEX supplier_nation ON dbo.supplier (s_nationkey) WITH (MAXDOP = {{.Connection.MaxDOP}})

-- name: nation
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.nation') AND name LIKE 'nation_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX nation_columns ON dbo.nation WITH (MAXDOP = {{.Connection.MaxDOP}})
/
{{- end}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.nation') AND name LIKE 'nation_pk%')
  ALTER TABLE dbo.nation ADD CONSTRAINT nation_pk PRIMARY KEY {{if .Connection.Columnstore}}NONCLUSTERED{{else}}CLUSTERED{{end}} (n_nationkey)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.nation') AND name LIKE 'nation_region%')
  CREATE NONCLUSTERED INDEX nation_region ON dbo.nation (n_regionkey) WITH (MAXDOP = {{.Connection.MaxDOP}})

-- name: region
{{- if .Connection.Columnstore}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.region') AND name LIKE 'region_columns%')
  CREATE CLUSTERED COLUMNSTORE INDEX region_columns ON dbo.region WITH (MAXDOP = {{.Connection.MaxDOP}})
/
{{- end}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.region') AND name LIKE 'region_pk%')
  ALTER TABLE dbo.region ADD CONSTRAINT region_pk PRIMARY KEY {{if .Connection.Columnstore}}NONCLUSTERED{{else}}CLUSTERED{{end}} (r_regionkey)
