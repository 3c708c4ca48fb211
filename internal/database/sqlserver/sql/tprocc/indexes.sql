-- Keys and indexes of each table on disk, built as soon as it is loaded; tables in memory have
-- theirs already. The conditions are for a resumed build, which repeats these statements, because
-- indexes have no IF NOT EXISTS. Babelfish appends the table and a hash to the name of an index.
--
-- The server locks rows, or pages if a transaction writes whole orders next to each other, but
-- never a whole table, however many locks there are. Babelfish has its own locks.

-- name: warehouse
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.warehouse') AND name LIKE 'warehouse_i1%')
  ALTER TABLE dbo.warehouse ADD CONSTRAINT warehouse_i1 PRIMARY KEY CLUSTERED (w_id) WITH (ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.warehouse SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: district
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.district') AND name LIKE 'district_i1%')
  ALTER TABLE dbo.district ADD CONSTRAINT district_i1 PRIMARY KEY CLUSTERED (d_w_id, d_id) WITH (ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.district') AND name LIKE 'district_d_id%')
  CREATE NONCLUSTERED INDEX district_d_id ON dbo.district (d_id)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.district SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: customer
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.customer') AND name LIKE 'customer_i1%')
  CREATE UNIQUE CLUSTERED INDEX customer_i1 ON dbo.customer (c_w_id, c_d_id, c_id) WITH (ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.customer') AND name LIKE 'customer_c_last%')
  CREATE NONCLUSTERED INDEX customer_c_last ON dbo.customer (c_w_id, c_d_id, c_last, c_first, c_id)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.customer SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: history
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.history') AND name LIKE 'history_i1%')
  CREATE CLUSTERED INDEX history_i1 ON dbo.history (h_c_w_id, h_date, h_c_d_id, h_c_id, h_amount)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.history SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: item
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.item') AND name LIKE 'item_i1%')
  ALTER TABLE dbo.item ADD CONSTRAINT item_i1 PRIMARY KEY CLUSTERED (i_id) WITH (ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.item SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: stock
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.stock') AND name LIKE 'stock_i1%')
  ALTER TABLE dbo.stock ADD CONSTRAINT stock_i1 PRIMARY KEY CLUSTERED (s_w_id, s_i_id) WITH (ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.stock SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: new_order
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.new_order') AND name LIKE 'new_order_i1%')
  CREATE UNIQUE CLUSTERED INDEX new_order_i1 ON dbo.new_order (no_w_id, no_d_id, no_o_id) WITH (ALLOW_ROW_LOCKS = OFF, ALLOW_PAGE_LOCKS = ON)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.new_order SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: orders
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.orders') AND name LIKE 'orders_i1%')
  CREATE UNIQUE CLUSTERED INDEX orders_i1 ON dbo.orders (o_w_id, o_d_id, o_id) WITH (ALLOW_ROW_LOCKS = OFF, ALLOW_PAGE_LOCKS = ON)
/
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.orders') AND name LIKE 'orders_i2%')
  CREATE NONCLUSTERED INDEX orders_i2 ON dbo.orders (o_w_id, o_d_id, o_c_id, o_id)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.orders SET (LOCK_ESCALATION = DISABLE)')
{{- end}}

-- name: order_line
{{- if not .Connection.InMemory}}
IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.order_line') AND name LIKE 'order_line_i1%')
  CREATE UNIQUE CLUSTERED INDEX order_line_i1 ON dbo.order_line (ol_w_id, ol_d_id, ol_o_id, ol_number) WITH (ALLOW_ROW_LOCKS = OFF, ALLOW_PAGE_LOCKS = ON)
/
IF @@VERSION NOT LIKE 'Babelfish%'
  EXECUTE ('ALTER TABLE dbo.order_line SET (LOCK_ESCALATION = DISABLE)')
{{- end}}
