-- Statistics, if requested, of columns that queries compare and that are not first in an index:
-- from a fifth of lineitem, and from all rows of other tables. Those of indexes are up to date.
-- sp_updatestats, which only the owner of the database may call, updates the others.
{{- if .Connection.Statistics}}
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_orderkey')
  CREATE STATISTICS sledge_l_orderkey ON dbo.lineitem (l_orderkey) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_partkey')
  CREATE STATISTICS sledge_l_partkey ON dbo.lineitem (l_partkey) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_suppkey')
  CREATE STATISTICS sledge_l_suppkey ON dbo.lineitem (l_suppkey) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_quantity')
  CREATE STATISTICS sledge_l_quantity ON dbo.lineitem (l_quantity) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_discount')
  CREATE STATISTICS sledge_l_discount ON dbo.lineitem (l_discount) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_commitdate')
  CREATE STATISTICS sledge_l_commitdate ON dbo.lineitem (l_commitdate) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_receiptdate')
  CREATE STATISTICS sledge_l_receiptdate ON dbo.lineitem (l_receiptdate) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_shipmode')
  CREATE STATISTICS sledge_l_shipmode ON dbo.lineitem (l_shipmode) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_shipinstruct')
  CREATE STATISTICS sledge_l_shipinstruct ON dbo.lineitem (l_shipinstruct) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_returnflag_l_linestatus')
  CREATE STATISTICS sledge_l_returnflag_l_linestatus ON dbo.lineitem (l_returnflag, l_linestatus) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_shipdate_l_discount_l_quantity')
  CREATE STATISTICS sledge_l_shipdate_l_discount_l_quantity ON dbo.lineitem (l_shipdate, l_discount, l_quantity) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_commitdate_l_receiptdate')
  CREATE STATISTICS sledge_l_commitdate_l_receiptdate ON dbo.lineitem (l_commitdate, l_receiptdate) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_shipmode_l_receiptdate')
  CREATE STATISTICS sledge_l_shipmode_l_receiptdate ON dbo.lineitem (l_shipmode, l_receiptdate) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_partkey_l_suppkey_l_shipdate')
  CREATE STATISTICS sledge_l_partkey_l_suppkey_l_shipdate ON dbo.lineitem (l_partkey, l_suppkey, l_shipdate) WITH SAMPLE 20 PERCENT;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.lineitem') AND name = 'sledge_l_suppkey_l_orderkey')
  CREATE STATISTICS sledge_l_suppkey_l_orderkey ON dbo.lineitem (l_suppkey, l_orderkey) WITH SAMPLE 20 PERCENT
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_custkey')
  CREATE STATISTICS sledge_o_custkey ON dbo.orders (o_custkey) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_orderstatus')
  CREATE STATISTICS sledge_o_orderstatus ON dbo.orders (o_orderstatus) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_orderpriority')
  CREATE STATISTICS sledge_o_orderpriority ON dbo.orders (o_orderpriority) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_totalprice')
  CREATE STATISTICS sledge_o_totalprice ON dbo.orders (o_totalprice) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_orderdate_o_orderpriority')
  CREATE STATISTICS sledge_o_orderdate_o_orderpriority ON dbo.orders (o_orderdate, o_orderpriority) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_custkey_o_orderdate')
  CREATE STATISTICS sledge_o_custkey_o_orderdate ON dbo.orders (o_custkey, o_orderdate) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.orders') AND name = 'sledge_o_orderstatus_o_orderkey')
  CREATE STATISTICS sledge_o_orderstatus_o_orderkey ON dbo.orders (o_orderstatus, o_orderkey) WITH FULLSCAN
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.partsupp') AND name = 'sledge_ps_suppkey')
  CREATE STATISTICS sledge_ps_suppkey ON dbo.partsupp (ps_suppkey) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.partsupp') AND name = 'sledge_ps_supplycost')
  CREATE STATISTICS sledge_ps_supplycost ON dbo.partsupp (ps_supplycost) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.partsupp') AND name = 'sledge_ps_availqty')
  CREATE STATISTICS sledge_ps_availqty ON dbo.partsupp (ps_availqty) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.partsupp') AND name = 'sledge_ps_suppkey_ps_partkey')
  CREATE STATISTICS sledge_ps_suppkey_ps_partkey ON dbo.partsupp (ps_suppkey, ps_partkey) WITH FULLSCAN
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_name')
  CREATE STATISTICS sledge_p_name ON dbo.part (p_name) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_brand')
  CREATE STATISTICS sledge_p_brand ON dbo.part (p_brand) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_type')
  CREATE STATISTICS sledge_p_type ON dbo.part (p_type) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_size')
  CREATE STATISTICS sledge_p_size ON dbo.part (p_size) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_container')
  CREATE STATISTICS sledge_p_container ON dbo.part (p_container) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_mfgr')
  CREATE STATISTICS sledge_p_mfgr ON dbo.part (p_mfgr) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_brand_p_container')
  CREATE STATISTICS sledge_p_brand_p_container ON dbo.part (p_brand, p_container) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_size_p_type')
  CREATE STATISTICS sledge_p_size_p_type ON dbo.part (p_size, p_type) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_brand_p_type_p_size')
  CREATE STATISTICS sledge_p_brand_p_type_p_size ON dbo.part (p_brand, p_type, p_size) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.part') AND name = 'sledge_p_type_p_partkey')
  CREATE STATISTICS sledge_p_type_p_partkey ON dbo.part (p_type, p_partkey) WITH FULLSCAN
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_nationkey')
  CREATE STATISTICS sledge_c_nationkey ON dbo.customer (c_nationkey) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_mktsegment')
  CREATE STATISTICS sledge_c_mktsegment ON dbo.customer (c_mktsegment) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_phone')
  CREATE STATISTICS sledge_c_phone ON dbo.customer (c_phone) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_acctbal')
  CREATE STATISTICS sledge_c_acctbal ON dbo.customer (c_acctbal) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_name')
  CREATE STATISTICS sledge_c_name ON dbo.customer (c_name) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_mktsegment_c_custkey')
  CREATE STATISTICS sledge_c_mktsegment_c_custkey ON dbo.customer (c_mktsegment, c_custkey) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.customer') AND name = 'sledge_c_nationkey_c_custkey')
  CREATE STATISTICS sledge_c_nationkey_c_custkey ON dbo.customer (c_nationkey, c_custkey) WITH FULLSCAN
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.supplier') AND name = 'sledge_s_nationkey')
  CREATE STATISTICS sledge_s_nationkey ON dbo.supplier (s_nationkey) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.supplier') AND name = 'sledge_s_name')
  CREATE STATISTICS sledge_s_name ON dbo.supplier (s_name) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.supplier') AND name = 'sledge_s_acctbal')
  CREATE STATISTICS sledge_s_acctbal ON dbo.supplier (s_acctbal) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.supplier') AND name = 'sledge_s_comment')
  CREATE STATISTICS sledge_s_comment ON dbo.supplier (s_comment) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.supplier') AND name = 'sledge_s_nationkey_s_suppkey')
  CREATE STATISTICS sledge_s_nationkey_s_suppkey ON dbo.supplier (s_nationkey, s_suppkey) WITH FULLSCAN
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.nation') AND name = 'sledge_n_name')
  CREATE STATISTICS sledge_n_name ON dbo.nation (n_name) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.nation') AND name = 'sledge_n_regionkey')
  CREATE STATISTICS sledge_n_regionkey ON dbo.nation (n_regionkey) WITH FULLSCAN;
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.nation') AND name = 'sledge_n_regionkey_n_nationkey')
  CREATE STATISTICS sledge_n_regionkey_n_nationkey ON dbo.nation (n_regionkey, n_nationkey) WITH FULLSCAN
/
IF NOT EXISTS (SELECT 1 FROM sys.stats WHERE object_id = OBJECT_ID('dbo.region') AND name = 'sledge_r_name')
  CREATE STATISTICS sledge_r_name ON dbo.region (r_name) WITH FULLSCAN
/
{{- end}}
IF USER_NAME() = 'dbo'
  EXECUTE sp_updatestats
