-- The nine tables of TPC-C 1.3, with TPROC-C's names, types and order of columns, so that other
-- programs for TPROC-C can run on schemas of Sledge, and the reverse. A row of warehouse or
-- district fills a page, so that transactions on different rows do not contend for a page. Tables
-- on disk get their keys after the load, tables in memory here.
--
-- All text is in ASCII, which every collation has.
{{- define "text"}}{{if .Connection.InMemory}} COLLATE Latin1_General_CI_AS{{end}}{{end}}
{{- define "memory"}}{{if .Connection.InMemory}} WITH (MEMORY_OPTIMIZED = ON, DURABILITY = {{.Connection.Durable}}){{end}}{{end}}
CREATE TABLE dbo.warehouse (
	w_id       int NOT NULL,
	w_ytd      money NOT NULL,
	w_tax      smallmoney NOT NULL,
	w_name     char(10){{template "text" .}} NULL,
	w_street_1 char(20){{template "text" .}} NULL,
	w_street_2 char(20){{template "text" .}} NULL,
	w_city     char(20){{template "text" .}} NULL,
	w_state    char(2){{template "text" .}} NULL,
	w_zip      char(9){{template "text" .}} NULL
	{{- if not .Connection.InMemory}},
	padding    char(4000) NOT NULL DEFAULT (REPLICATE('x', 4000))
	{{- end}}
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (w_id) WITH (BUCKET_COUNT = {{.Connection.Buckets .Settings.Warehouses 1}})
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.district (
	d_id        tinyint NOT NULL,
	d_w_id      int NOT NULL,
	d_ytd       money NOT NULL,
	d_next_o_id int NULL,
	d_tax       smallmoney NULL,
	d_name      char(10){{template "text" .}} NULL,
	d_street_1  char(20){{template "text" .}} NULL,
	d_street_2  char(20){{template "text" .}} NULL,
	d_city      char(20){{template "text" .}} NULL,
	d_state     char(2){{template "text" .}} NULL,
	d_zip       char(9){{template "text" .}} NULL
	{{- if not .Connection.InMemory}},
	padding     char(6000) NOT NULL DEFAULT (REPLICATE('X', 6000))
	{{- end}}
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (d_w_id, d_id) WITH (BUCKET_COUNT = {{.Connection.Buckets .Settings.Warehouses 10}})
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.customer (
	c_id           int NOT NULL,
	c_d_id         tinyint NOT NULL,
	c_w_id         int NOT NULL,
	c_discount     smallmoney NULL,
	c_credit_lim   money NULL,
	c_last         char(16){{template "text" .}} NULL,
	c_first        char(16){{template "text" .}} NULL,
	c_credit       char(2){{template "text" .}} NULL,
	c_balance      money NULL,
	c_ytd_payment  money NULL,
	c_payment_cnt  smallint NULL,
	c_delivery_cnt smallint NULL,
	c_street_1     char(20){{template "text" .}} NULL,
	c_street_2     char(20){{template "text" .}} NULL,
	c_city         char(20){{template "text" .}} NULL,
	c_state        char(2){{template "text" .}} NULL,
	c_zip          char(9){{template "text" .}} NULL,
	c_phone        char(16){{template "text" .}} NULL,
	c_since        datetime NULL,
	c_middle       char(2){{template "text" .}} NULL,
	c_data         char(500){{template "text" .}} NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (c_w_id, c_d_id, c_id) WITH (BUCKET_COUNT = {{.Connection.Buckets .Settings.Warehouses 30000}}),
	INDEX customer_i2 NONCLUSTERED (c_last, c_w_id, c_d_id, c_first, c_id)
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.history (
	{{- if .Connection.InMemory}}
	h_id int IDENTITY NOT NULL,
	{{- end}}
	h_c_id   int NULL,
	h_c_d_id tinyint NULL,
	h_c_w_id int NULL,
	h_d_id   tinyint NULL,
	h_w_id   int NULL,
	h_date   datetime NULL,
	h_amount smallmoney NULL,
	h_data   char(24){{template "text" .}} NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED (h_id)
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.item (
	i_id    int NOT NULL,
	i_name  char(24){{template "text" .}} NULL,
	i_price smallmoney NULL,
	i_data  char(50){{template "text" .}} NULL,
	i_im_id int NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (i_id) WITH (BUCKET_COUNT = 131072)
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.stock (
	s_i_id       int NOT NULL,
	s_w_id       int NOT NULL,
	s_quantity   smallint NOT NULL,
	s_ytd        int NOT NULL,
	s_order_cnt  smallint NULL,
	s_remote_cnt smallint NULL,
	s_data       char(50){{template "text" .}} NULL,
	s_dist_01    char(24){{template "text" .}} NULL,
	s_dist_02    char(24){{template "text" .}} NULL,
	s_dist_03    char(24){{template "text" .}} NULL,
	s_dist_04    char(24){{template "text" .}} NULL,
	s_dist_05    char(24){{template "text" .}} NULL,
	s_dist_06    char(24){{template "text" .}} NULL,
	s_dist_07    char(24){{template "text" .}} NULL,
	s_dist_08    char(24){{template "text" .}} NULL,
	s_dist_09    char(24){{template "text" .}} NULL,
	s_dist_10    char(24){{template "text" .}} NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (s_w_id, s_i_id) WITH (BUCKET_COUNT = {{.Connection.Buckets .Settings.Warehouses 100000}})
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.new_order (
	no_o_id int NOT NULL,
	no_d_id tinyint NOT NULL,
	no_w_id int NOT NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED (no_w_id, no_d_id, no_o_id)
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.orders (
	o_id         int NOT NULL,
	o_d_id       tinyint NOT NULL,
	o_w_id       int NOT NULL,
	o_c_id       int NOT NULL,
	o_carrier_id tinyint NULL,
	o_ol_cnt     tinyint NULL,
	o_all_local  tinyint NULL,
	o_entry_d    datetime NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (o_w_id, o_d_id, o_id) WITH (BUCKET_COUNT = {{.Connection.ManyBuckets .Settings.Warehouses 40000}}),
	INDEX orders_i2 NONCLUSTERED (o_c_id, o_d_id, o_w_id, o_id)
	{{- end}}
){{template "memory" .}}
/
CREATE TABLE dbo.order_line (
	ol_o_id        int NOT NULL,
	ol_d_id        tinyint NOT NULL,
	ol_w_id        int NOT NULL,
	ol_number      tinyint NOT NULL,
	ol_i_id        int NULL,
	ol_delivery_d  datetime NULL,
	ol_amount      smallmoney NULL,
	ol_supply_w_id int NULL,
	ol_quantity    smallint NULL,
	ol_dist_info   char(24){{template "text" .}} NULL
	{{- if .Connection.InMemory}},
	PRIMARY KEY NONCLUSTERED HASH (ol_w_id, ol_d_id, ol_o_id, ol_number) WITH (BUCKET_COUNT = {{.Connection.ManyBuckets .Settings.Warehouses 400000}}),
	INDEX orderline_i2 NONCLUSTERED (ol_d_id, ol_w_id, ol_o_id)
	{{- end}}
){{template "memory" .}}
