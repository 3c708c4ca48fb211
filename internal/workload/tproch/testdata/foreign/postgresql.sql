-- TPC-H's tables as HammerDB 6 creates them on PostgreSQL: with its order of columns, its types,
-- and its keys, which are created after the load.
CREATE TABLE region (
  r_regionkey NUMERIC NOT NULL,
  r_name CHAR(25),
  r_comment VARCHAR(152)
)
/
CREATE TABLE nation (
  n_nationkey NUMERIC NOT NULL,
  n_name CHAR(25),
  n_regionkey NUMERIC,
  n_comment VARCHAR(152)
)
/
CREATE TABLE supplier (
  s_suppkey NUMERIC NOT NULL,
  s_nationkey NUMERIC,
  s_comment VARCHAR(102),
  s_name CHAR(25),
  s_address VARCHAR(40),
  s_phone CHAR(15),
  s_acctbal NUMERIC
)
/
CREATE TABLE customer (
  c_custkey NUMERIC NOT NULL,
  c_mktsegment CHAR(10),
  c_nationkey NUMERIC,
  c_name VARCHAR(25),
  c_address VARCHAR(40),
  c_phone CHAR(15),
  c_acctbal NUMERIC,
  c_comment VARCHAR(118)
)
/
CREATE TABLE part (
  p_partkey NUMERIC NOT NULL,
  p_type VARCHAR(25),
  p_size NUMERIC,
  p_brand CHAR(10),
  p_name VARCHAR(55),
  p_container CHAR(10),
  p_mfgr CHAR(25),
  p_retailprice NUMERIC,
  p_comment VARCHAR(23)
)
/
CREATE TABLE partsupp (
  ps_partkey NUMERIC NOT NULL,
  ps_suppkey NUMERIC NOT NULL,
  ps_supplycost NUMERIC NOT NULL,
  ps_availqty NUMERIC,
  ps_comment VARCHAR(199)
)
/
CREATE TABLE orders (
  o_orderdate TIMESTAMP,
  o_orderkey NUMERIC NOT NULL,
  o_custkey NUMERIC NOT NULL,
  o_orderpriority CHAR(15),
  o_shippriority NUMERIC,
  o_clerk CHAR(15),
  o_orderstatus CHAR(1),
  o_totalprice NUMERIC,
  o_comment VARCHAR(79)
)
/
CREATE TABLE lineitem (
  l_shipdate TIMESTAMP,
  l_orderkey NUMERIC NOT NULL,
  l_discount NUMERIC,
  l_extendedprice NUMERIC,
  l_suppkey NUMERIC,
  l_quantity NUMERIC,
  l_returnflag CHAR(1),
  l_partkey NUMERIC,
  l_linestatus CHAR(1),
  l_tax NUMERIC,
  l_commitdate TIMESTAMP,
  l_receiptdate TIMESTAMP,
  l_shipmode CHAR(10),
  l_linenumber NUMERIC NOT NULL,
  l_shipinstruct CHAR(25),
  l_comment VARCHAR(44)
)
/

-- name: keys
ALTER TABLE region ADD PRIMARY KEY (r_regionkey)
/
ALTER TABLE nation ADD PRIMARY KEY (n_nationkey)
/
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey)
/
ALTER TABLE customer ADD PRIMARY KEY (c_custkey)
/
ALTER TABLE part ADD PRIMARY KEY (p_partkey)
/
ALTER TABLE partsupp ADD PRIMARY KEY (ps_partkey, ps_suppkey)
/
ALTER TABLE orders ADD PRIMARY KEY (o_orderkey)
/
ALTER TABLE lineitem ADD PRIMARY KEY (l_linenumber, l_orderkey)
/
ALTER TABLE lineitem ADD FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp (ps_partkey, ps_suppkey) NOT DEFERRABLE
/
ALTER TABLE orders ADD FOREIGN KEY (o_custkey) REFERENCES customer (c_custkey) NOT DEFERRABLE
/
ALTER TABLE partsupp ADD FOREIGN KEY (ps_partkey) REFERENCES part (p_partkey) NOT DEFERRABLE
/
ALTER TABLE partsupp ADD FOREIGN KEY (ps_suppkey) REFERENCES supplier (s_suppkey) NOT DEFERRABLE
/
ALTER TABLE supplier ADD FOREIGN KEY (s_nationkey) REFERENCES nation (n_nationkey) NOT DEFERRABLE
/
ALTER TABLE customer ADD FOREIGN KEY (c_nationkey) REFERENCES nation (n_nationkey) NOT DEFERRABLE
/
ALTER TABLE nation ADD FOREIGN KEY (n_regionkey) REFERENCES region (r_regionkey) NOT DEFERRABLE
/
ALTER TABLE lineitem ADD CONSTRAINT lineitem_order_fk FOREIGN KEY (l_orderkey) REFERENCES orders (o_orderkey) DEFERRABLE
/
CREATE INDEX ON lineitem (l_partkey, l_suppkey)
/
CREATE INDEX ON lineitem (l_orderkey)
/
CREATE INDEX ON orders (o_custkey)
/
CREATE INDEX ON partsupp (ps_partkey)
/
CREATE INDEX ON partsupp (ps_suppkey)
/
CREATE INDEX ON supplier (s_nationkey)
/
CREATE INDEX ON customer (c_nationkey)
/
CREATE INDEX ON nation (n_regionkey)
/
ANALYZE region
/
ANALYZE nation
/
ANALYZE supplier
/
ANALYZE customer
/
ANALYZE part
/
ANALYZE partsupp
/
ANALYZE orders
/
ANALYZE lineitem
