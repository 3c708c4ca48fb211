{{- /*
The five transactions as stored routines: functions, or with pg_storedprocs
procedures. Names, arguments and results are those of TPROC-C, so that other programs for
TPROC-C can run on schemas of Sledge, and the reverse. The work of the routines is that of
TPC-C. Functions and procedures share the code that is the same.

All routines lock in the same order, customer before district before warehouse, and
stock by warehouse and item, so that they do not deadlock each other.

"made by Sledge" in each body is what installed_routines looks for.
*/ -}}

{{- define "order_variables"}}
  items integer[] := '{}';
  supplies integer[] := '{}';
  quantities integer[] := '{}';
  item_id integer;
  supply_w_id integer;
  all_local integer := 1;
  unused_item CONSTANT integer := 100001;
  order_id integer;
  lines_written integer;
  total numeric;
{{- end}}

{{- define "draw_order"}}
  -- Draws the lines of an order (TPC-C 2.4.1.5): items by NURand with C = 7911, another supply
  -- warehouse for one line in a hundred, the quantity from 1 to 10. An item that the order already
  -- has is drawn again, because one UPDATE changes a row only once. The last item of one order in a
  -- hundred is unused.
  FOR n IN 1 .. no_o_ol_cnt LOOP
    LOOP
      item_id := ((floor(random() * 8192)::integer | (floor(random() * 100000)::integer + 1)) + 7911) % 100000 + 1;
      EXIT WHEN item_id <> ALL (items);
    END LOOP;
    supply_w_id := no_w_id;
    IF random() < 0.01 AND no_max_w_id > 1 THEN
      supply_w_id := (no_w_id + floor(random() * (no_max_w_id - 1))::integer) % no_max_w_id + 1;
      all_local := 0;
    END IF;
    items[n] := item_id;
    supplies[n] := supply_w_id;
    quantities[n] := floor(random() * 10)::integer + 1;
  END LOOP;
  IF random() < 0.01 THEN
    items[no_o_ol_cnt] := unused_item;
  END IF;
{{- end}}

{{- define "enter_order"}}
  SELECT c_discount, c_last, c_credit, w_tax INTO STRICT no_c_discount, no_c_last, no_c_credit, no_w_tax
  FROM customer, warehouse
  WHERE w_id = no_w_id AND c_w_id = no_w_id AND c_d_id = no_d_id AND c_id = no_c_id;

  UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = no_w_id AND d_id = no_d_id
  RETURNING d_next_o_id - 1, d_tax INTO STRICT order_id, no_d_tax;

  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
  VALUES (order_id, no_d_id, no_w_id, no_c_id, CURRENT_TIMESTAMP, NULL, no_o_ol_cnt, all_local);

  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, no_d_id, no_w_id);

  -- All transactions lock stock in the same order, so that they do not deadlock.
  WITH line AS (
    UPDATE stock
    SET s_quantity = CASE WHEN s_quantity >= l.quantity + 10 THEN s_quantity - l.quantity ELSE s_quantity - l.quantity + 91 END,
      s_ytd = s_ytd + l.quantity,
      s_order_cnt = s_order_cnt + 1,
      s_remote_cnt = s_remote_cnt + (l.supply <> no_w_id)::integer
    FROM (
      SELECT i_id, supply, quantity, number
      FROM unnest(items, supplies, quantities) WITH ORDINALITY AS drawn (i_id, supply, quantity, number)
      ORDER BY supply, i_id
    ) AS l
    JOIN item ON item.i_id = l.i_id
    WHERE s_i_id = l.i_id AND s_w_id = l.supply
    RETURNING l.number, l.i_id, l.supply, l.quantity, l.quantity * i_price AS amount,
      CASE no_d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
        WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
        WHEN 9 THEN s_dist_09 ELSE s_dist_10 END AS dist_info
  ), written AS (
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
    SELECT order_id, no_d_id, no_w_id, number, i_id, supply, quantity, amount, dist_info FROM line
    RETURNING ol_amount
  )
  SELECT count(*), sum(ol_amount) INTO lines_written, total FROM written;
{{- end}}

{{- define "pay"}}
  -- Of n customers of that name, the one at n/2, rounded up, by first name (TPC-C 2.5.2.2). Other
  -- programs call the function with a name that no customer has: then it returns the customer with
  -- the given number.
  IF byname = 1 THEN
    SELECT coalesce((array_agg(c_id ORDER BY c_first, c_id))[(count(*) + 1) / 2], p_c_id) INTO p_c_id
    FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last;
  END IF;

  UPDATE customer
  SET c_balance = customer.c_balance - amount,
    c_ytd_payment = c_ytd_payment + amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE WHEN c_credit = 'BC'
      THEN left(concat_ws(' ', c_id, c_d_id, c_w_id, p_d_id, p_w_id, amount) || '|' || customer.c_data, 500)
      ELSE customer.c_data END
  WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id
{{- end}}

{{- define "record_payment"}}
  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  VALUES (p_c_d_id, p_c_w_id, p_c_id, p_d_id, p_w_id, CURRENT_TIMESTAMP, amount, warehouse_name || '    ' || district_name);
{{- end}}

{{- define "deliver"}}
  -- The oldest new order of each district that has one. The query locks the order when it finds it:
  -- of two deliveries at the same time, the second waits for the first and then gets the next
  -- oldest, so the queue never has a gap.
  WITH oldest AS (
    SELECT no_d_id AS district, no_o_id AS number
    FROM generate_series(1, 10) AS d
    CROSS JOIN LATERAL (
      SELECT no_d_id, no_o_id FROM new_order
      WHERE no_w_id = d_w_id AND no_d_id = d
      ORDER BY no_o_id LIMIT 1 FOR UPDATE
    ) AS first
  ), taken AS (
    DELETE FROM new_order USING oldest
    WHERE no_w_id = d_w_id AND no_d_id = district AND no_o_id = number
  ), carried AS (
    UPDATE orders SET o_carrier_id = d_o_carrier_id FROM oldest
    WHERE o_w_id = d_w_id AND o_d_id = district AND o_id = number
    RETURNING o_d_id, o_c_id
  ), handed_over AS (
    UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP FROM oldest
    WHERE ol_w_id = d_w_id AND ol_d_id = district AND ol_o_id = number
    RETURNING ol_d_id, ol_amount
  ), bill AS (
    SELECT ol_d_id, sum(ol_amount) AS amount FROM handed_over GROUP BY ol_d_id
  )
  UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1
  FROM carried JOIN bill ON ol_d_id = o_d_id
  WHERE c_w_id = d_w_id AND c_d_id = o_d_id AND c_id = o_c_id;
{{- end}}

{{- define "count_stock"}}
  -- The items of the last 20 orders of a district (TPC-C 2.8.2.2). With a list, the planner
  -- estimates the same number of orders whether or not it knows their numbers, so it does not plan
  -- every call again.
  SELECT d_next_o_id INTO STRICT next_order FROM district WHERE d_w_id = st_w_id AND d_id = st_d_id;
  SELECT count(DISTINCT s_i_id) INTO stock_count
  FROM order_line JOIN stock ON s_i_id = ol_i_id AND s_w_id = ol_w_id
  WHERE ol_w_id = st_w_id AND ol_d_id = st_d_id
    AND ol_o_id = ANY (ARRAY(SELECT generate_series(next_order - 20, next_order - 1)))
    AND s_quantity < threshold;
{{- end}}

{{- define "find_order"}}
  -- By name, like payment.
  IF byname = 1 THEN
    SELECT coalesce((array_agg(c_id ORDER BY c_first, c_id))[(count(*) + 1) / 2], os_c_id) INTO os_c_id
    FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last;
  END IF;
  SELECT c_balance, c_first, c_middle, c_last INTO STRICT os_c_balance, os_c_first, os_c_middle, os_c_last
  FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_id = os_c_id;
  SELECT o_id, o_entry_d, o_carrier_id INTO os_o_id, os_entdate, os_o_carrier_id
  FROM orders WHERE o_w_id = os_w_id AND o_d_id = os_d_id AND o_c_id = os_c_id
  ORDER BY o_id DESC LIMIT 1;
{{- end}}

{{if .Connection.Procedures -}}
CREATE OR REPLACE PROCEDURE neword(no_w_id integer, no_max_w_id integer, no_d_id integer, no_c_id integer, no_o_ol_cnt integer,
  INOUT no_c_discount numeric, INOUT no_c_last varchar, INOUT no_c_credit varchar, INOUT no_d_tax numeric,
  INOUT no_w_tax numeric, INOUT no_d_next_o_id integer, tstamp timestamp)
LANGUAGE plpgsql AS $body$
-- New-Order, TPC-C 2.4.2.2, made by Sledge.
DECLARE
{{- template "order_variables"}}
BEGIN
{{- template "draw_order"}}
{{template "enter_order"}}

  no_d_next_o_id := order_id;
  IF items[no_o_ol_cnt] = unused_item AND lines_written = no_o_ol_cnt - 1 THEN
    ROLLBACK; -- TPC-C 2.4.2.3
    no_d_next_o_id := 0;
  ELSIF lines_written <> no_o_ol_cnt THEN
    RAISE EXCEPTION 'of the % items ordered, only % are known and in stock', no_o_ol_cnt, lines_written;
  END IF;
END $body$
/
CREATE OR REPLACE PROCEDURE payment(p_w_id integer, p_d_id integer, p_c_w_id integer, p_c_d_id integer, byname integer,
  p_h_amount numeric, INOUT p_c_credit char, INOUT p_c_last varchar, INOUT p_c_id integer,
  INOUT w_street_1 varchar, INOUT w_street_2 varchar, INOUT w_city varchar, INOUT w_state varchar, INOUT w_zip varchar,
  INOUT d_street_1 varchar, INOUT d_street_2 varchar, INOUT d_city varchar, INOUT d_state varchar, INOUT d_zip varchar,
  INOUT c_first varchar, INOUT c_middle varchar, INOUT c_street_1 varchar, INOUT c_street_2 varchar, INOUT c_city varchar,
  INOUT c_state varchar, INOUT c_zip varchar, INOUT c_phone varchar,
  INOUT c_since timestamp, INOUT c_credit_lim numeric, INOUT c_discount numeric, INOUT c_balance numeric,
  INOUT c_data varchar, tstamp timestamp)
LANGUAGE plpgsql AS $body$
#variable_conflict use_column
-- Payment, TPC-C 2.5.2.2, made by Sledge.
DECLARE
  amount numeric(6,2) := p_h_amount;
  warehouse_name varchar;
  district_name varchar;
BEGIN
{{- template "pay"}}
  RETURNING c_credit, c_last, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    c_since, c_credit_lim, c_discount, customer.c_balance, customer.c_data
  INTO STRICT p_c_credit, p_c_last, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    c_since, c_credit_lim, c_discount, c_balance, c_data;

  UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = p_w_id AND d_id = p_d_id
  RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
  INTO STRICT district_name, d_street_1, d_street_2, d_city, d_state, d_zip;

  UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = p_w_id
  RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip
  INTO STRICT warehouse_name, w_street_1, w_street_2, w_city, w_state, w_zip;
{{template "record_payment"}}
END $body$
/
CREATE OR REPLACE PROCEDURE delivery(d_w_id integer, d_o_carrier_id integer, tstamp timestamp)
LANGUAGE plpgsql AS $body$
-- Delivery, TPC-C 2.7.4.2, made by Sledge.
BEGIN
{{- template "deliver"}}
END $body$
/
CREATE OR REPLACE PROCEDURE slev(st_w_id integer, st_d_id integer, threshold integer, INOUT stock_count integer)
LANGUAGE plpgsql AS $body$
-- Stock-Level, TPC-C 2.8.2.2, made by Sledge.
DECLARE
  next_order integer;
BEGIN
{{- template "count_stock"}}
END $body$
/
CREATE OR REPLACE PROCEDURE ostat(os_w_id integer, os_d_id integer, INOUT os_c_id integer, byname integer, INOUT os_c_last varchar,
  INOUT os_c_first varchar, INOUT os_c_middle varchar, INOUT os_c_balance numeric, INOUT os_o_id integer,
  INOUT os_entdate timestamp, INOUT os_o_carrier_id integer, INOUT os_c_line text DEFAULT '')
LANGUAGE plpgsql AS $body$
-- Order-Status, TPC-C 2.6.2.2, made by Sledge.
BEGIN
{{- template "find_order"}}
  SELECT coalesce(string_agg(concat_ws(',', '', ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, coalesce(ol_delivery_d::text, '')), ''), '')
  INTO os_c_line
  FROM order_line WHERE ol_w_id = os_w_id AND ol_d_id = os_d_id AND ol_o_id = os_o_id;
END $body$
/
{{- else -}}
CREATE OR REPLACE FUNCTION dbms_random(integer, integer) RETURNS integer LANGUAGE sql AS $body$
  -- Made for the routines of other programs, which call it; made by Sledge.
  SELECT $1 + floor(random() * ($2 - $1 + 1))::integer;
$body$
/
CREATE OR REPLACE FUNCTION neword(no_w_id integer, no_max_w_id integer, no_d_id integer, no_c_id integer, no_o_ol_cnt integer,
  no_d_next_o_id integer) RETURNS numeric
LANGUAGE plpgsql AS $body$
-- New-Order, TPC-C 2.4.2.2, made by Sledge.
DECLARE
{{- template "order_variables"}}
  no_c_discount numeric;
  no_c_last varchar;
  no_c_credit varchar;
  no_d_tax numeric;
  no_w_tax numeric;
BEGIN
{{- template "draw_order"}}

  -- A function cannot roll back the transaction that called it (TPC-C 2.4.2.3). So it looks for the
  -- unused item before it writes anything.
  IF items[no_o_ol_cnt] = unused_item AND NOT EXISTS (SELECT FROM item WHERE i_id = unused_item) THEN
    RETURN NULL;
  END IF;
{{template "enter_order"}}

  IF lines_written <> no_o_ol_cnt THEN
    RAISE EXCEPTION 'of the % items ordered, only % are known and in stock', no_o_ol_cnt, lines_written;
  END IF;
  RETURN total * (1 - no_c_discount) * (1 + no_w_tax + no_d_tax);
END $body$
/
CREATE OR REPLACE FUNCTION payment(p_w_id integer, p_d_id integer, p_c_w_id integer, p_c_d_id integer, p_c_id integer, byname integer,
  p_h_amount numeric, p_c_last varchar, p_c_credit varchar, p_c_balance numeric) RETURNS integer
LANGUAGE plpgsql AS $body$
-- Payment, TPC-C 2.5.2.2, made by Sledge.
DECLARE
  amount numeric(6,2) := p_h_amount;
  warehouse_name varchar;
  district_name varchar;
BEGIN
{{- template "pay"}}
  RETURNING c_id INTO STRICT p_c_id;

  UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = p_w_id AND d_id = p_d_id
  RETURNING d_name INTO STRICT district_name;

  UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = p_w_id
  RETURNING w_name INTO STRICT warehouse_name;
{{template "record_payment"}}
  RETURN p_c_id;
END $body$
/
CREATE OR REPLACE FUNCTION delivery(d_w_id integer, d_o_carrier_id integer) RETURNS integer
LANGUAGE plpgsql AS $body$
-- Delivery, TPC-C 2.7.4.2, made by Sledge.
BEGIN
{{- template "deliver"}}
  RETURN 1;
END $body$
/
CREATE OR REPLACE FUNCTION slev(st_w_id integer, st_d_id integer, threshold integer) RETURNS integer
LANGUAGE plpgsql STABLE AS $body$
-- Stock-Level, TPC-C 2.8.2.2, made by Sledge.
DECLARE
  next_order integer;
  stock_count integer;
BEGIN
{{- template "count_stock"}}
  RETURN stock_count;
END $body$
/
CREATE OR REPLACE FUNCTION ostat(os_w_id integer, os_d_id integer, os_c_id integer, byname integer, os_c_last varchar) RETURNS SETOF record
LANGUAGE plpgsql STABLE AS $body$
-- Order-Status, TPC-C 2.6.2.2, made by Sledge.
DECLARE
  os_c_first varchar;
  os_c_middle varchar;
  os_c_balance numeric;
  os_o_id integer;
  os_entdate timestamp;
  os_o_carrier_id integer;
BEGIN
{{- template "find_order"}}
  RETURN QUERY
    SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d, os_c_id, os_c_last,
      os_c_first, os_c_middle, os_c_balance, os_o_id, os_entdate, os_o_carrier_id
    FROM order_line WHERE ol_w_id = os_w_id AND ol_d_id = os_d_id AND ol_o_id = os_o_id;
END $body$
/
{{- end}}
