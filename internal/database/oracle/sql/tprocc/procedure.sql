-- The calls of the stored procedures, with the arguments of TPROC-C: a block is one round trip, in
-- which the server also commits. One output has all the values that only a terminal would show,
-- because each further output costs both sides as much as its content.

-- name: neword
DECLARE
  discount NUMBER;
  last VARCHAR2(16);
  credit VARCHAR2(2);
  d_tax NUMBER;
  w_tax NUMBER;
  next_o_id INTEGER := 0;
BEGIN
  neword(:w_id, :max_w_id, :d_id, :c_id, :ol_cnt, discount, last, credit, d_tax, w_tax, next_o_id, CURRENT_DATE);
  :no_d_next_o_id := next_o_id;
  :output := discount || '|' || last || '|' || credit || '|' || d_tax || '|' || w_tax;
END;

-- name: payment
DECLARE
  c_id INTEGER := :c_id;
  c_last VARCHAR2(16) := :c_last;
  w_street_1 VARCHAR2(20);
  w_street_2 VARCHAR2(20);
  w_city VARCHAR2(20);
  w_state VARCHAR2(2);
  w_zip VARCHAR2(9);
  d_street_1 VARCHAR2(20);
  d_street_2 VARCHAR2(20);
  d_city VARCHAR2(20);
  d_state VARCHAR2(2);
  d_zip VARCHAR2(9);
  c_first VARCHAR2(16);
  c_middle VARCHAR2(2);
  c_street_1 VARCHAR2(20);
  c_street_2 VARCHAR2(20);
  c_city VARCHAR2(20);
  c_state VARCHAR2(2);
  c_zip VARCHAR2(9);
  c_phone VARCHAR2(16);
  c_since DATE;
  c_credit VARCHAR2(2);
  c_credit_lim NUMBER;
  c_discount NUMBER;
  c_balance NUMBER := 0;
  c_data VARCHAR2(500);
BEGIN
  payment(:w_id, :d_id, :c_w_id, :c_d_id, c_id, :by_name, :h_amount_cents / 100, c_last,
    w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip,
    c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    c_since, c_credit, c_credit_lim, c_discount, c_balance, c_data, CURRENT_DATE);
  :p_c_id := c_id;
  :output := c_last || '|' || w_street_1 || '|' || w_street_2 || '|' || w_city || '|' || w_state || '|' || w_zip
    || '|' || d_street_1 || '|' || d_street_2 || '|' || d_city || '|' || d_state || '|' || d_zip
    || '|' || c_first || '|' || c_middle || '|' || c_street_1 || '|' || c_street_2 || '|' || c_city || '|' || c_state || '|' || c_zip
    || '|' || c_phone || '|' || c_since || '|' || c_credit || '|' || c_credit_lim || '|' || c_discount || '|' || c_balance || '|' || c_data;
END;

-- name: delivery
BEGIN
  delivery(:w_id, :carrier_id, CURRENT_DATE);
  :delivered := 1;
END;

-- name: slev
BEGIN
  slev(:w_id, :d_id, :threshold, :stock_count);
END;

-- name: ostat
DECLARE
  c_id INTEGER := :c_id;
  c_last VARCHAR2(16) := :c_last;
  c_first VARCHAR2(16);
  c_middle VARCHAR2(2);
  c_balance NUMBER;
  o_id INTEGER;
  entdate DATE;
  carrier_id INTEGER;
BEGIN
  ostat(:w_id, :d_id, c_id, :by_name, c_last, c_first, c_middle, c_balance, o_id, entdate, carrier_id);
  :output := c_id || '|' || c_last || '|' || c_first || '|' || c_middle || '|' || c_balance || '|' || o_id || '|' || entdate || '|' || carrier_id;
END;
