-- The nine tables, without keys: building a key is faster after the load.
--
-- Tables whose rows are updated (warehouse, district, customer, stock, and once per row orders and
-- order_line) keep free space in each page, so that a new version of a row fits next to the old one
-- and no index has to change. The next reader of the page then removes dead versions. The few rows
-- of warehouse and district change with almost every transaction, and get the most space.
CREATE TABLE warehouse (
  w_id integer NOT NULL,
  w_ytd numeric(16,2) NOT NULL,
  w_tax numeric(4,4) NOT NULL,
  w_name varchar(10) NOT NULL,
  w_street_1 varchar(20) NOT NULL,
  w_street_2 varchar(20) NOT NULL,
  w_city varchar(20) NOT NULL,
  w_state char(2) NOT NULL,
  w_zip char(9) NOT NULL
) WITH (fillfactor = 50)
/
CREATE TABLE district (
  d_id smallint NOT NULL,
  d_w_id integer NOT NULL,
  d_ytd numeric(12,2) NOT NULL,
  d_tax numeric(4,4) NOT NULL,
  d_next_o_id integer NOT NULL,
  d_name varchar(10) NOT NULL,
  d_street_1 varchar(20) NOT NULL,
  d_street_2 varchar(20) NOT NULL,
  d_city varchar(20) NOT NULL,
  d_state char(2) NOT NULL,
  d_zip char(9) NOT NULL
) WITH (fillfactor = 50)
/
CREATE TABLE customer (
  c_id integer NOT NULL,
  c_d_id smallint NOT NULL,
  c_w_id integer NOT NULL,
  c_first varchar(16) NOT NULL,
  c_last varchar(16) NOT NULL,
  c_middle char(2) NOT NULL,
  c_street_1 varchar(20) NOT NULL,
  c_street_2 varchar(20) NOT NULL,
  c_city varchar(20) NOT NULL,
  c_state char(2) NOT NULL,
  c_zip char(9) NOT NULL,
  c_phone char(16) NOT NULL,
  c_since timestamptz NOT NULL,
  c_credit char(2) NOT NULL,
  c_credit_lim numeric(12,2) NOT NULL,
  c_discount numeric(4,4) NOT NULL,
  c_balance numeric(12,2) NOT NULL,
  c_ytd_payment numeric(12,2) NOT NULL,
  c_payment_cnt smallint NOT NULL,
  c_delivery_cnt smallint NOT NULL,
  c_data varchar(500) NOT NULL
) WITH (fillfactor = 85)
/
CREATE TABLE history (
  h_c_id integer,
  h_c_d_id smallint NOT NULL,
  h_c_w_id integer NOT NULL,
  h_d_id smallint NOT NULL,
  h_w_id integer NOT NULL,
  h_date timestamptz NOT NULL,
  h_amount numeric(6,2) NOT NULL,
  h_data varchar(24) NOT NULL
)
/
CREATE TABLE item (
  i_id integer NOT NULL,
  i_im_id integer NOT NULL,
  i_name varchar(24) NOT NULL,
  i_price numeric(5,2) NOT NULL,
  i_data varchar(50) NOT NULL
)
/
CREATE TABLE stock (
  s_i_id integer NOT NULL,
  s_w_id integer NOT NULL,
  s_quantity smallint NOT NULL,
  s_dist_01 char(24) NOT NULL,
  s_dist_02 char(24) NOT NULL,
  s_dist_03 char(24) NOT NULL,
  s_dist_04 char(24) NOT NULL,
  s_dist_05 char(24) NOT NULL,
  s_dist_06 char(24) NOT NULL,
  s_dist_07 char(24) NOT NULL,
  s_dist_08 char(24) NOT NULL,
  s_dist_09 char(24) NOT NULL,
  s_dist_10 char(24) NOT NULL,
  s_ytd integer NOT NULL,
  s_order_cnt smallint NOT NULL,
  s_remote_cnt smallint NOT NULL,
  s_data varchar(50) NOT NULL
) WITH (fillfactor = 85)
/
-- A queue: rows are added at one end and removed at the other. Dead rows at its head slow the
-- search for the oldest row, so they must be vacuumed soon.
CREATE TABLE new_order (
  no_w_id integer NOT NULL,
  no_d_id smallint NOT NULL,
  no_o_id integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
/
CREATE TABLE orders (
  o_id integer NOT NULL,
  o_w_id integer NOT NULL,
  o_d_id smallint NOT NULL,
  o_c_id integer NOT NULL,
  o_carrier_id smallint,
  o_ol_cnt smallint NOT NULL,
  o_all_local smallint NOT NULL,
  o_entry_d timestamptz NOT NULL
) WITH (fillfactor = 90)
/
-- A delivery changes all lines of an order at once: a page has space for the new versions of
-- fifteen lines.
{{- $partitions := .Connection.Partitions .Settings.Warehouses}}
CREATE TABLE order_line (
  ol_o_id integer NOT NULL,
  ol_d_id smallint NOT NULL,
  ol_w_id integer NOT NULL,
  ol_number smallint NOT NULL,
  ol_i_id integer NOT NULL,
  ol_delivery_d timestamptz,
  ol_amount numeric(6,2),
  ol_supply_w_id integer NOT NULL,
  ol_quantity smallint NOT NULL,
  ol_dist_info char(24)
) {{if $partitions}}PARTITION BY HASH (ol_w_id){{else}}WITH (fillfactor = 85){{end}}
/
{{- range $p := $partitions}}
CREATE TABLE ol_{{$p}} PARTITION OF order_line FOR VALUES WITH (MODULUS {{$partitions}}, REMAINDER {{$p}}) WITH (fillfactor = 85)
/
{{- end}}
