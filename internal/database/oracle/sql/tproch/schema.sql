-- The eight tables, without keys: building a key is faster after the load. Blocks are full, because
-- few rows ever change.
CREATE TABLE lineitem (
  l_orderkey NUMBER NOT NULL,
  l_partkey NUMBER NOT NULL,
  l_suppkey NUMBER NOT NULL,
  l_linenumber NUMBER NOT NULL,
  l_quantity NUMBER NOT NULL,
  l_extendedprice NUMBER NOT NULL,
  l_discount NUMBER NOT NULL,
  l_tax NUMBER NOT NULL,
  l_returnflag CHAR(1),
  l_linestatus CHAR(1),
  l_shipdate DATE,
  l_commitdate DATE,
  l_receiptdate DATE,
  l_shipinstruct CHAR(25),
  l_shipmode CHAR(10),
  l_comment VARCHAR2(44)
) PCTFREE 2 PCTUSED 98 INITRANS 8 PARALLEL
/
CREATE TABLE orders (
  o_orderkey NUMBER NOT NULL,
  o_custkey NUMBER NOT NULL,
  o_orderstatus CHAR(1),
  o_totalprice NUMBER,
  o_orderdate DATE,
  o_orderpriority CHAR(15),
  o_clerk CHAR(15),
  o_shippriority NUMBER,
  o_comment VARCHAR2(79)
) PCTFREE 2 PCTUSED 98 INITRANS 8 PARALLEL
/
CREATE TABLE partsupp (
  ps_partkey NUMBER NOT NULL,
  ps_suppkey NUMBER NOT NULL,
  ps_availqty NUMBER,
  ps_supplycost NUMBER NOT NULL,
  ps_comment VARCHAR2(199)
) PCTFREE 2 PCTUSED 98 INITRANS 8
/
CREATE TABLE part (
  p_partkey NUMBER NOT NULL,
  p_name VARCHAR2(55),
  p_mfgr CHAR(25),
  p_brand CHAR(10),
  p_type VARCHAR2(25),
  p_size NUMBER,
  p_container CHAR(10),
  p_retailprice NUMBER,
  p_comment VARCHAR2(23)
) PCTFREE 2 PCTUSED 98 INITRANS 8
/
CREATE TABLE customer (
  c_custkey NUMBER NOT NULL,
  c_name VARCHAR2(25),
  c_address VARCHAR2(40),
  c_nationkey NUMBER,
  c_phone CHAR(15),
  c_acctbal NUMBER,
  c_mktsegment CHAR(10),
  c_comment VARCHAR2(118)
) PCTFREE 2 PCTUSED 98 INITRANS 8
/
CREATE TABLE supplier (
  s_suppkey NUMBER NOT NULL,
  s_name CHAR(25),
  s_address VARCHAR2(40),
  s_nationkey NUMBER,
  s_phone CHAR(15),
  s_acctbal NUMBER,
  s_comment VARCHAR2(102)
) PCTFREE 2 PCTUSED 98 INITRANS 8
/
CREATE TABLE nation (
  n_nationkey NUMBER NOT NULL,
  n_name CHAR(25),
  n_regionkey NUMBER,
  n_comment VARCHAR2(152)
) PCTFREE 2 PCTUSED 98 INITRANS 8
/
CREATE TABLE region (
  r_regionkey NUMBER NOT NULL,
  r_name CHAR(25),
  r_comment VARCHAR2(152)
) PCTFREE 2 PCTUSED 98 INITRANS 8
/
