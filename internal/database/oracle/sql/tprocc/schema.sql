{{- /*
The nine tables, with Oracle's types as in TPROC-C. Each row of warehouse and district has its
own block, because most transactions change one of each. The rows of order_line and new_order,
which are inserted and read by key, are stored in the index itself.
*/ -}}
{{- $partitions := .Connection.Partitions .Settings.Warehouses}}
{{- $keys := .Connection.HashKeys .Settings.Warehouses}}
{{- if $keys}}
CREATE CLUSTER warehouse_cluster (w_id NUMBER(6,0)) INITRANS 4 SIZE 3496 SINGLE TABLE HASHKEYS {{$keys}} HASH IS w_id
/
CREATE CLUSTER district_cluster (d_id NUMBER(2,0), d_w_id NUMBER(6,0)) INITRANS 4 SIZE 3496 SINGLE TABLE HASHKEYS {{$keys}}0 HASH IS (d_w_id * 10 + d_id)
/
CREATE CLUSTER customer_cluster (c_id NUMBER(5,0), c_d_id NUMBER(2,0), c_w_id NUMBER(6,0)) INITRANS 4 SIZE 850 SINGLE TABLE HASHKEYS {{.Connection.CustomerKeys .Settings.Warehouses}} HASH IS (c_w_id * 30000 + c_d_id * 3000 + c_id)
/
CREATE CLUSTER stock_cluster (s_i_id NUMBER(6,0), s_w_id NUMBER(6,0)) INITRANS 4 SIZE 350 SINGLE TABLE HASHKEYS {{$keys}}00000 HASH IS (s_w_id * 100000 + s_i_id)
/
CREATE CLUSTER item_cluster (i_id NUMBER(6,0)) SIZE 120 SINGLE TABLE HASHKEYS 100000 HASH IS i_id
/
{{- end}}
CREATE TABLE warehouse (
  w_id NUMBER(6,0),
  w_ytd NUMBER(12,2),
  w_tax NUMBER(4,4),
  w_name VARCHAR2(10),
  w_street_1 VARCHAR2(20),
  w_street_2 VARCHAR2(20),
  w_city VARCHAR2(20),
  w_state CHAR(2),
  w_zip CHAR(9)
) {{if $keys}}CLUSTER warehouse_cluster (w_id){{else}}PCTFREE 99 PCTUSED 1 INITRANS 4{{end}}
/
CREATE TABLE district (
  d_id NUMBER(2,0),
  d_w_id NUMBER(6,0),
  d_ytd NUMBER(12,2),
  d_tax NUMBER(4,4),
  d_next_o_id NUMBER,
  d_name VARCHAR2(10),
  d_street_1 VARCHAR2(20),
  d_street_2 VARCHAR2(20),
  d_city VARCHAR2(20),
  d_state CHAR(2),
  d_zip CHAR(9)
) {{if $keys}}CLUSTER district_cluster (d_id, d_w_id){{else}}PCTFREE 99 PCTUSED 1 INITRANS 4{{end}}
/
CREATE TABLE customer (
  c_id NUMBER(5,0),
  c_d_id NUMBER(2,0),
  c_w_id NUMBER(6,0),
  c_first VARCHAR2(16),
  c_middle CHAR(2),
  c_last VARCHAR2(16),
  c_street_1 VARCHAR2(20),
  c_street_2 VARCHAR2(20),
  c_city VARCHAR2(20),
  c_state CHAR(2),
  c_zip CHAR(9),
  c_phone CHAR(16),
  c_since DATE,
  c_credit CHAR(2),
  c_credit_lim NUMBER(12,2),
  c_discount NUMBER(4,4),
  c_balance NUMBER(12,2),
  c_ytd_payment NUMBER(12,2),
  c_payment_cnt NUMBER(8,0),
  c_delivery_cnt NUMBER(8,0),
  c_data VARCHAR2(500)
) {{if $keys}}CLUSTER customer_cluster (c_id, c_d_id, c_w_id){{else}}PCTFREE 10 INITRANS 4{{end}}
/
CREATE TABLE history (
  h_c_id NUMBER,
  h_c_d_id NUMBER,
  h_c_w_id NUMBER,
  h_d_id NUMBER,
  h_w_id NUMBER,
  h_date DATE,
  h_amount NUMBER(6,2),
  h_data VARCHAR2(24)
) PCTFREE 10 INITRANS 4{{if $partitions}}
PARTITION BY HASH (h_w_id) PARTITIONS {{$partitions}}{{end}}
/
CREATE TABLE item (
  i_id NUMBER(6,0),
  i_im_id NUMBER,
  i_name VARCHAR2(24),
  i_price NUMBER(5,2),
  i_data VARCHAR2(50)
) {{if $keys}}CLUSTER item_cluster (i_id){{else}}PCTFREE 10 INITRANS 4{{end}}
/
CREATE TABLE stock (
  s_i_id NUMBER(6,0),
  s_w_id NUMBER(6,0),
  s_quantity NUMBER(6,0),
  s_dist_01 CHAR(24),
  s_dist_02 CHAR(24),
  s_dist_03 CHAR(24),
  s_dist_04 CHAR(24),
  s_dist_05 CHAR(24),
  s_dist_06 CHAR(24),
  s_dist_07 CHAR(24),
  s_dist_08 CHAR(24),
  s_dist_09 CHAR(24),
  s_dist_10 CHAR(24),
  s_ytd NUMBER(10,0),
  s_order_cnt NUMBER(6,0),
  s_remote_cnt NUMBER(6,0),
  s_data VARCHAR2(50)
) {{if $keys}}CLUSTER stock_cluster (s_i_id, s_w_id){{else}}PCTFREE 10 INITRANS 4{{end}}
/
CREATE TABLE new_order (
  no_w_id NUMBER,
  no_d_id NUMBER,
  no_o_id NUMBER,
  CONSTRAINT inord PRIMARY KEY (no_w_id, no_d_id, no_o_id)
) ORGANIZATION INDEX INITRANS 4
/
CREATE TABLE orders (
  o_id NUMBER,
  o_w_id NUMBER,
  o_d_id NUMBER,
  o_c_id NUMBER,
  o_carrier_id NUMBER,
  o_ol_cnt NUMBER,
  o_all_local NUMBER,
  o_entry_d DATE
) PCTFREE 10 INITRANS 4{{if $partitions}}
PARTITION BY HASH (o_w_id) PARTITIONS {{$partitions}}{{end}}
/
CREATE TABLE order_line (
  ol_w_id NUMBER,
  ol_d_id NUMBER,
  ol_o_id NUMBER,
  ol_number NUMBER,
  ol_i_id NUMBER,
  ol_delivery_d DATE,
  ol_amount NUMBER,
  ol_supply_w_id NUMBER,
  ol_quantity NUMBER,
  ol_dist_info CHAR(24),
  CONSTRAINT iordl PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
) ORGANIZATION INDEX INITRANS 4{{if $partitions}}
PARTITION BY HASH (ol_w_id) PARTITIONS {{$partitions}} STORE IN ({{.Connection.OrderLineTablespace}}){{end}}
/
