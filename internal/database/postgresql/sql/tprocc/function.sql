-- Calls of the routines as functions, with the arguments of TPROC-C.

-- Sledge's neword returns NULL if it changed nothing because of an unused item, and otherwise the
-- total amount: 1 stands for an order whose number is unknown.
-- name: neword
SELECT CASE WHEN neword(:w_id, :max_w_id, :d_id, :c_id, :ol_cnt, 0) IS NULL THEN 0 ELSE 1 END AS no_d_next_o_id

-- name: payment
SELECT payment(:w_id, :d_id, :c_w_id, :c_d_id, :c_id, :by_name, :h_amount_cents / 100.0, :c_last, '0', 0) AS p_c_id

-- name: delivery
SELECT delivery(:w_id, :carrier_id) AS delivered

-- name: slev
SELECT slev(:w_id, :d_id, :threshold) AS stock_count

-- name: ostat
SELECT * FROM ostat(:w_id, :d_id, :c_id, :by_name, :c_last)
AS (ol_i_id integer, ol_supply_w_id integer, ol_quantity smallint, ol_amount numeric, ol_delivery_d timestamptz,
  out_os_c_id integer, out_os_c_last varchar, os_c_first varchar, os_c_middle varchar, os_c_balance numeric,
  os_o_id integer, os_entdate timestamp, os_o_carrier_id integer)
