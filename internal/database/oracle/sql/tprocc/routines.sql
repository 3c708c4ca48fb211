-- The five transactions of TPC-C 2.4 to 2.8 as stored procedures. Names, parameters and their order
-- are those of TPROC-C, so that every program for TPROC-C can call them. They do not commit: the
-- call tells the server to commit when it succeeds. This single commit waits for the redo log,
-- unlike a commit in PL/SQL. On an error they roll back and return the error, so that no lock
-- remains.
--
-- All lock rows in the same order, the most contended last: stock by warehouse and item, customer,
-- district, warehouse. So they wait for each other only briefly, and rarely deadlock.
--
-- "made by Sledge" in each is what installed_routines looks for.

-- With this view, NEWORD changes rows of stock and reads the prices of their items in one
-- statement, as do the routines of other programs. Each row of stock has one item.
CREATE OR REPLACE VIEW stock_item AS
SELECT i_id, s_w_id, i_price, i_name, i_data, s_i_id, s_data, s_quantity, s_order_cnt, s_ytd, s_remote_cnt,
  s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10
FROM stock, item
WHERE i_id = s_i_id
/
CREATE OR REPLACE PROCEDURE neword (
  no_w_id INTEGER,
  no_max_w_id INTEGER,
  no_d_id INTEGER,
  no_c_id INTEGER,
  no_o_ol_cnt INTEGER,
  no_c_discount OUT NUMBER,
  no_c_last OUT VARCHAR2,
  no_c_credit OUT VARCHAR2,
  no_d_tax OUT NUMBER,
  no_w_tax OUT NUMBER,
  no_d_next_o_id IN OUT INTEGER,
  tstamp DATE
) IS
  -- New-Order, TPC-C 2.4.2.2, made by Sledge.
  TYPE whole_numbers IS TABLE OF INTEGER INDEX BY PLS_INTEGER;
  TYPE amounts IS TABLE OF NUMBER INDEX BY PLS_INTEGER;
  TYPE texts IS TABLE OF VARCHAR2(24) INDEX BY PLS_INTEGER;
  items whole_numbers;
  supplies whole_numbers;
  quantities whole_numbers;
  ordinals whole_numbers;
  prices amounts;
  dists texts;
  item INTEGER;
  supply INTEGER;
  place INTEGER;
  all_local INTEGER := 1;
  unused_item CONSTANT INTEGER := 100001;
  unused INTEGER := 0;
  low INTEGER;
  high INTEGER;
BEGIN
  -- Items are NURand(8191, 1, 100000) with C = 7911 (2.1.6, 2.4.1.5). Another warehouse supplies
  -- one line in a hundred, each with the same probability. The last item of one order in a hundred
  -- is unused (2.4.1.4). Lines are sorted by warehouse and item, the order in which all
  -- transactions lock stock.
  IF DBMS_RANDOM.VALUE < 0.01 THEN
    unused := 1;
  END IF;
  FOR n IN 1 .. no_o_ol_cnt LOOP
    low := TRUNC(DBMS_RANDOM.VALUE * 8192);
    high := 1 + TRUNC(DBMS_RANDOM.VALUE * 100000);
    item := MOD(low + high - BITAND(low, high) + 7911, 100000) + 1;
    IF unused = 1 AND n = no_o_ol_cnt THEN
      item := unused_item;
    END IF;
    supply := no_w_id;
    IF DBMS_RANDOM.VALUE < 0.01 AND no_max_w_id > 1 THEN
      supply := MOD(no_w_id + TRUNC(DBMS_RANDOM.VALUE * (no_max_w_id - 1)), no_max_w_id) + 1;
      all_local := 0;
    END IF;
    place := n;
    WHILE place > 1 LOOP
      EXIT WHEN supplies(place - 1) < supply OR (supplies(place - 1) = supply AND items(place - 1) <= item);
      items(place) := items(place - 1);
      supplies(place) := supplies(place - 1);
      place := place - 1;
    END LOOP;
    items(place) := item;
    supplies(place) := supply;
    quantities(n) := 1 + TRUNC(DBMS_RANDOM.VALUE * 10);
    ordinals(n) := n;
  END LOOP;

  SELECT c_discount, c_last, c_credit, w_tax
  INTO no_c_discount, no_c_last, no_c_credit, no_w_tax
  FROM customer, warehouse
  WHERE c_w_id = no_w_id AND c_d_id = no_d_id AND c_id = no_c_id AND w_id = no_w_id;

  FORALL n IN 1 .. no_o_ol_cnt
    UPDATE stock_item
    SET s_quantity = s_quantity - quantities(n) + CASE WHEN s_quantity >= quantities(n) + 10 THEN 0 ELSE 91 END,
      s_ytd = s_ytd + quantities(n),
      s_order_cnt = s_order_cnt + 1,
      s_remote_cnt = s_remote_cnt + CASE WHEN s_w_id = no_w_id THEN 0 ELSE 1 END
    WHERE s_i_id = items(n) AND s_w_id = supplies(n)
    RETURNING i_price,
      CASE no_d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
        WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
        WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
    BULK COLLECT INTO prices, dists;

  UPDATE district SET d_next_o_id = d_next_o_id + 1
  WHERE d_w_id = no_w_id AND d_id = no_d_id
  RETURNING d_next_o_id - 1, d_tax INTO no_d_next_o_id, no_d_tax;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
  VALUES (no_d_next_o_id, no_d_id, no_w_id, no_c_id, tstamp, NULL, no_o_ol_cnt, all_local);
  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (no_d_next_o_id, no_d_id, no_w_id);

  -- The item of a line does not exist: "item number is not valid" (2.4.2.3). Nothing of the order
  -- remains.
  IF prices.COUNT < no_o_ol_cnt THEN
    IF unused = 0 THEN
      RAISE_APPLICATION_ERROR(-20001, 'NEWORD: an item that was ordered is not in stock');
    END IF;
    ROLLBACK;
    no_d_next_o_id := 0;
    RETURN;
  END IF;

  -- FORALL allows its index only as a subscript, so the ordinals are a collection.
  FORALL n IN 1 .. no_o_ol_cnt
    INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
    VALUES (no_d_next_o_id, no_d_id, no_w_id, ordinals(n), items(n), supplies(n), quantities(n), quantities(n) * prices(n), dists(n));
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;
/
CREATE OR REPLACE PROCEDURE payment (
  p_w_id INTEGER,
  p_d_id INTEGER,
  p_c_w_id INTEGER,
  p_c_d_id INTEGER,
  p_c_id IN OUT INTEGER,
  byname INTEGER,
  p_h_amount NUMBER,
  p_c_last IN OUT VARCHAR2,
  p_w_street_1 OUT VARCHAR2,
  p_w_street_2 OUT VARCHAR2,
  p_w_city OUT VARCHAR2,
  p_w_state OUT VARCHAR2,
  p_w_zip OUT VARCHAR2,
  p_d_street_1 OUT VARCHAR2,
  p_d_street_2 OUT VARCHAR2,
  p_d_city OUT VARCHAR2,
  p_d_state OUT VARCHAR2,
  p_d_zip OUT VARCHAR2,
  p_c_first OUT VARCHAR2,
  p_c_middle OUT VARCHAR2,
  p_c_street_1 OUT VARCHAR2,
  p_c_street_2 OUT VARCHAR2,
  p_c_city OUT VARCHAR2,
  p_c_state OUT VARCHAR2,
  p_c_zip OUT VARCHAR2,
  p_c_phone OUT VARCHAR2,
  p_c_since OUT DATE,
  p_c_credit IN OUT VARCHAR2,
  p_c_credit_lim OUT NUMBER,
  p_c_discount OUT NUMBER,
  p_c_balance IN OUT NUMBER,
  p_c_data OUT VARCHAR2,
  tstamp DATE
) IS
  -- Payment, TPC-C 2.5.2.2, made by Sledge.
  TYPE whole_numbers IS TABLE OF INTEGER INDEX BY PLS_INTEGER;
  namesakes whole_numbers;
  warehouse_name VARCHAR2(10);
  district_name VARCHAR2(10);
BEGIN
  -- Of n customers with this last name, the one at n/2, rounded up, by first name (2.5.2.2).
  IF byname = 1 THEN
    SELECT c_id BULK COLLECT INTO namesakes
    FROM customer
    WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last
    ORDER BY c_first;
    p_c_id := namesakes(TRUNC((namesakes.COUNT + 1) / 2));
  END IF;

  -- For a customer with bad credit, the payment is prepended to c_data, which loses its end.
  UPDATE customer
  SET c_balance = c_balance - p_h_amount,
    c_ytd_payment = c_ytd_payment + p_h_amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE WHEN c_credit = 'BC'
      THEN SUBSTR(c_id || ' ' || c_d_id || ' ' || c_w_id || ' ' || p_d_id || ' ' || p_w_id || ' ' || LTRIM(TO_CHAR(p_h_amount, '9990.00')) || '|' || c_data, 1, 500)
      ELSE c_data END
  WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id
  RETURNING c_last, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    c_since, c_credit, c_credit_lim, c_discount, c_balance, c_data
  INTO p_c_last, p_c_first, p_c_middle, p_c_street_1, p_c_street_2, p_c_city, p_c_state, p_c_zip, p_c_phone,
    p_c_since, p_c_credit, p_c_credit_lim, p_c_discount, p_c_balance, p_c_data;
  IF SQL%ROWCOUNT = 0 THEN
    RAISE_APPLICATION_ERROR(-20002, 'PAYMENT: there is no such customer');
  END IF;

  UPDATE district SET d_ytd = d_ytd + p_h_amount
  WHERE d_w_id = p_w_id AND d_id = p_d_id
  RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip
  INTO district_name, p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip;

  UPDATE warehouse SET w_ytd = w_ytd + p_h_amount
  WHERE w_id = p_w_id
  RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip
  INTO warehouse_name, p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip;

  INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  VALUES (p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, tstamp, p_h_amount, warehouse_name || '    ' || district_name);
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;
/
CREATE OR REPLACE PROCEDURE delivery (
  d_w_id INTEGER,
  d_o_carrier_id INTEGER,
  tstamp DATE
) IS
  -- Delivery, TPC-C 2.7.4.2, made by Sledge: all ten districts in one transaction.
  TYPE whole_numbers IS TABLE OF INTEGER INDEX BY PLS_INTEGER;
  TYPE amounts IS TABLE OF NUMBER INDEX BY PLS_INTEGER;
  all_districts whole_numbers;
  districts whole_numbers;
  numbers whole_numbers;
  customers whole_numbers;
  totals amounts;
  found INTEGER;
  oldest INTEGER;
BEGIN
  FOR d IN 1 .. 10 LOOP
    all_districts(d) := d;
  END LOOP;
  FORALL n IN 1 .. 10
    DELETE FROM new_order
    WHERE no_w_id = d_w_id AND no_d_id = all_districts(n)
      AND no_o_id = (SELECT MIN(o.no_o_id) FROM new_order o WHERE o.no_w_id = d_w_id AND o.no_d_id = all_districts(n))
    RETURNING no_d_id, no_o_id BULK COLLECT INTO districts, numbers;

  -- If another delivery was faster, the order does not exist any more, and this delivery tries the
  -- next. It skips a district without a new order.
  IF districts.COUNT < 10 THEN
    FOR d IN 1 .. 10 LOOP
      found := 0;
      FOR n IN 1 .. districts.COUNT LOOP
        IF districts(n) = d THEN
          found := 1;
        END IF;
      END LOOP;
      WHILE found = 0 LOOP
        SELECT MIN(no_o_id) INTO oldest FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d;
        EXIT WHEN oldest IS NULL;
        DELETE FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d AND no_o_id = oldest;
        found := SQL%ROWCOUNT;
        IF found = 1 THEN
          numbers(districts.COUNT + 1) := oldest;
          districts(districts.COUNT + 1) := d;
        END IF;
      END LOOP;
    END LOOP;
  END IF;

  FORALL n IN 1 .. districts.COUNT
    UPDATE orders SET o_carrier_id = d_o_carrier_id
    WHERE o_w_id = d_w_id AND o_d_id = districts(n) AND o_id = numbers(n)
    RETURNING o_c_id BULK COLLECT INTO customers;
  FORALL n IN 1 .. districts.COUNT
    UPDATE order_line SET ol_delivery_d = tstamp
    WHERE ol_w_id = d_w_id AND ol_d_id = districts(n) AND ol_o_id = numbers(n)
    RETURNING SUM(ol_amount) BULK COLLECT INTO totals;
  FORALL n IN 1 .. districts.COUNT
    UPDATE customer SET c_balance = c_balance + totals(n), c_delivery_cnt = c_delivery_cnt + 1
    WHERE c_w_id = d_w_id AND c_d_id = districts(n) AND c_id = customers(n);
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;
/
CREATE OR REPLACE PROCEDURE ostat (
  os_w_id INTEGER,
  os_d_id INTEGER,
  os_c_id IN OUT INTEGER,
  byname INTEGER,
  os_c_last IN OUT VARCHAR2,
  os_c_first OUT VARCHAR2,
  os_c_middle OUT VARCHAR2,
  os_c_balance OUT NUMBER,
  os_o_id OUT INTEGER,
  os_entdate OUT DATE,
  os_o_carrier_id OUT INTEGER
) IS
  -- Order-Status, TPC-C 2.6.2.2, made by Sledge.
  TYPE whole_numbers IS TABLE OF INTEGER INDEX BY PLS_INTEGER;
  TYPE amounts IS TABLE OF NUMBER INDEX BY PLS_INTEGER;
  TYPE moments IS TABLE OF DATE INDEX BY PLS_INTEGER;
  namesakes whole_numbers;
  items whole_numbers;
  supplies whole_numbers;
  quantities whole_numbers;
  prices amounts;
  delivered moments;
BEGIN
  -- By name, like PAYMENT (2.6.2.2).
  IF byname = 1 THEN
    SELECT c_id BULK COLLECT INTO namesakes
    FROM customer
    WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last
    ORDER BY c_first;
    os_c_id := namesakes(TRUNC((namesakes.COUNT + 1) / 2));
  END IF;
  SELECT c_first, c_middle, c_last, c_balance
  INTO os_c_first, os_c_middle, os_c_last, os_c_balance
  FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_id = os_c_id;
  -- In schemas that other programs built, some customers have no order.
  SELECT MAX(o_id) INTO os_o_id
  FROM orders WHERE o_w_id = os_w_id AND o_d_id = os_d_id AND o_c_id = os_c_id;
  IF os_o_id IS NULL THEN
    RETURN;
  END IF;
  SELECT o_entry_d, o_carrier_id INTO os_entdate, os_o_carrier_id
  FROM orders WHERE o_w_id = os_w_id AND o_d_id = os_d_id AND o_id = os_o_id;
  -- The lines have no parameter, but the transaction must read them.
  SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
  BULK COLLECT INTO items, supplies, quantities, prices, delivered
  FROM order_line WHERE ol_w_id = os_w_id AND ol_d_id = os_d_id AND ol_o_id = os_o_id;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;
/
CREATE OR REPLACE PROCEDURE slev (
  st_w_id INTEGER,
  st_d_id INTEGER,
  threshold INTEGER,
  stock_count OUT INTEGER
) IS
  -- Stock-Level, TPC-C 2.8.2.2, made by Sledge.
  next_order INTEGER;
BEGIN
  SELECT d_next_o_id INTO next_order FROM district WHERE d_w_id = st_w_id AND d_id = st_d_id;
  SELECT COUNT(DISTINCT s_i_id) INTO stock_count
  FROM order_line, stock
  WHERE ol_w_id = st_w_id AND ol_d_id = st_d_id AND ol_o_id >= next_order - 20 AND ol_o_id < next_order
    AND s_w_id = st_w_id AND s_i_id = ol_i_id AND s_quantity < threshold;
EXCEPTION
  WHEN OTHERS THEN
    ROLLBACK;
    RAISE;
END;
/
-- Oracle creates a procedure that has a mistake, and reports the mistake only in the dictionary.
BEGIN
  FOR mistake IN (
    SELECT name, line, text FROM user_errors
    WHERE name IN ('NEWORD', 'PAYMENT', 'DELIVERY', 'OSTAT', 'SLEV', 'STOCK_ITEM') AND attribute = 'ERROR'
    ORDER BY name, sequence
  ) LOOP
    RAISE_APPLICATION_ERROR(-20003, mistake.name || ', line ' || mistake.line || ': ' || mistake.text);
  END LOOP;
END;
/
