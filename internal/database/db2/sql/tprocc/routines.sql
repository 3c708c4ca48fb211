-- The five transactions of TPC-C 2.4 to 2.8 as stored procedures in SQL PL. Names, parameters and
-- their order are those of TPROC-C, so that every program for TPROC-C can call them. They return no
-- rows, and each is a transaction of its own. On an error they roll back and return the error, so
-- that a caller that continues cannot commit half a transaction.
--
-- All lock rows in the same order, the most contended last: stock, customer, district, warehouse.
-- So they wait for each other only briefly, and rarely deadlock.
--
-- In SQL PL, a name that a column and a parameter share means the column. No name is shared here.
{{- define "on error"}}
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    ROLLBACK;
    RESIGNAL;
  END;
{{- end}}

{{- /*
An order has up to fifteen lines, each with variables of its own, numbered from 0: i7 is the item
of the eighth line, s7 the warehouse that supplies it, q7 the quantity. The item is NULL if the
order does not have the line.
*/}}
{{- define "items"}}{{range $n := 15}}{{if $n}}, {{end}}i{{$n}}{{end}}{{end}}
{{- define "supplies"}}{{range $n := 15}}{{if $n}}, {{end}}s{{$n}}{{end}}{{end}}
{{- define "quantities"}}{{range $n := 15}}{{if $n}}, {{end}}q{{$n}}{{end}}{{end}}

{{- /* The order's values for a row of stock, from the line of its item. */}}
{{- define "line"}}CASE s_i_id{{range $n := 15}} WHEN i{{$n}} THEN {{$n}}{{end}} END{{end}}
{{- define "supply"}}CASE s_i_id{{range $n := 15}} WHEN i{{$n}} THEN s{{$n}}{{end}} END{{end}}
{{- define "quantity"}}CASE s_i_id{{range $n := 15}} WHEN i{{$n}} THEN q{{$n}}{{end}} END{{end}}
{{- define "ordered"}}s_w_id IN ({{template "supplies"}}) AND s_i_id IN ({{template "items"}}) AND s_w_id = {{template "supply"}}{{end}}

-- Programs that call the routines receive the outputs in variables of the schema, one of them with
-- its own type. Their remarks show that they are Sledge's; others with these names are not changed.
BEGIN
  IF NOT EXISTS (SELECT 1 FROM syscat.datatypes WHERE typeschema = CURRENT SCHEMA AND typename = 'DELIVARRAY' AND typemodulename IS NULL) THEN
    EXECUTE IMMEDIATE 'CREATE TYPE delivarray AS INTEGER ARRAY[10]';
    EXECUTE IMMEDIATE 'COMMENT ON TYPE delivarray IS ''Sledge''';
  END IF;
  FOR v AS SELECT name, kind FROM (VALUES
    ('NO_C_DISCOUNT', 'DECIMAL(4,4)'), ('NO_C_LAST', 'VARCHAR(16)'), ('NO_C_CREDIT', 'CHAR(2)'),
    ('NO_D_TAX', 'DECIMAL(4,4)'), ('NO_W_TAX', 'DECIMAL(4,4)'), ('NO_D_NEXT_O_ID', 'INTEGER'), ('P_C_ID', 'INTEGER'),
    ('P_C_LAST', 'VARCHAR(16)'), ('P_W_STREET_1', 'VARCHAR(20)'), ('P_W_STREET_2', 'VARCHAR(20)'),
    ('P_W_CITY', 'VARCHAR(20)'), ('P_W_STATE', 'CHAR(2)'), ('P_W_ZIP', 'CHAR(9)'), ('P_D_STREET_1', 'VARCHAR(20)'),
    ('P_D_STREET_2', 'VARCHAR(20)'), ('P_D_CITY', 'VARCHAR(20)'), ('P_D_STATE', 'CHAR(2)'), ('P_D_ZIP', 'CHAR(9)'),
    ('P_C_FIRST', 'VARCHAR(16)'), ('P_C_MIDDLE', 'CHAR(2)'), ('P_C_STREET_1', 'VARCHAR(20)'),
    ('P_C_STREET_2', 'VARCHAR(20)'), ('P_C_CITY', 'VARCHAR(20)'), ('P_C_STATE', 'CHAR(2)'), ('P_C_ZIP', 'CHAR(9)'),
    ('P_C_PHONE', 'CHAR(16)'), ('P_C_SINCE', 'TIMESTAMP'), ('P_C_CREDIT', 'CHAR(2)'),
    ('P_C_CREDIT_LIM', 'DECIMAL(12,2)'), ('P_C_DISCOUNT', 'DECIMAL(4,4)'), ('P_C_BALANCE', 'DECIMAL(12,2)'),
    ('P_C_DATA', 'VARCHAR(500)'), ('OS_C_ID', 'INTEGER'), ('OS_C_LAST', 'VARCHAR(16)'),
    ('OS_C_FIRST', 'VARCHAR(16)'), ('OS_C_MIDDLE', 'CHAR(2)'), ('OS_C_BALANCE', 'DECIMAL(12,2)'),
    ('OS_O_ID', 'INTEGER'), ('OS_ENTDATE', 'TIMESTAMP'), ('OS_O_CARRIER_ID', 'INTEGER'), ('STOCK_COUNT', 'INTEGER'),
    ('DELIV_DATA', 'DELIVARRAY')
    ) AS wanted (name, kind)
    WHERE name NOT IN (SELECT varname FROM syscat.variables WHERE varschema = CURRENT SCHEMA AND varmodulename IS NULL)
  DO
    EXECUTE IMMEDIATE 'CREATE VARIABLE ' || v.name || ' ' || v.kind;
    EXECUTE IMMEDIATE 'COMMENT ON VARIABLE ' || v.name || ' IS ''Sledge''';
  END FOR;
END
/

-- TPC-C 2.4. The lines are drawn together, and two statements write them. The lines' values for a
-- terminal and the total amount have no output parameters.
CREATE OR REPLACE PROCEDURE NEWORD (
  IN no_w_id           INTEGER,
  IN no_max_w_id       INTEGER,
  IN no_d_id           INTEGER,
  IN no_c_id           INTEGER,
  IN no_o_ol_cnt       INTEGER,
  OUT no_c_discount    DECIMAL(4,4),
  OUT no_c_last        VARCHAR(16),
  OUT no_c_credit      CHAR(2),
  OUT no_d_tax         DECIMAL(4,4),
  OUT no_w_tax         DECIMAL(4,4),
  INOUT no_d_next_o_id INTEGER,
  IN tstamp            TIMESTAMP
)
LANGUAGE SQL
BEGIN
  DECLARE {{template "items"}} INTEGER;
  DECLARE {{template "supplies"}} INTEGER;
  DECLARE {{template "quantities"}} INTEGER;
  DECLARE written INTEGER;
  DECLARE repeated INTEGER;
  {{- template "on error"}}

  -- Items are NURand(8191, 1, 100000) with C = 7911 (2.1.6, 2.4.1.5). The items identify the lines,
  -- so an order with the same item twice is drawn again; this is about one order in a hundred.
  REPEAT
    {{- range $n := 15}}
    SET i{{$n}} = CASE WHEN no_o_ol_cnt > {{$n}} THEN MOD(BITOR(MOD(INTEGER(RAND() * 8192), 8192), 1 + MOD(INTEGER(RAND() * 100000), 100000)) + 7911, 100000) + 1 END;
    {{- end}}
    SET repeated = CASE WHEN
      {{- range $n := 15}}{{if $n}}
      {{if gt $n 1}}OR {{end}}i{{$n}} IN ({{range $m := $n}}{{if $m}}, {{end}}i{{$m}}{{end}})
      {{- end}}{{end}} THEN 1 ELSE 0 END;
  UNTIL repeated = 0
  END REPEAT;
  -- Another warehouse supplies one line in a hundred, each other warehouse with the same
  -- probability (2.4.1.5). RAND can return 1.
  {{- range $n := 15}}
  SET q{{$n}} = 1 + MOD(INTEGER(RAND() * 10), 10);
  SET s{{$n}} = CASE WHEN no_o_ol_cnt > {{$n}} AND no_max_w_id > 1 AND RAND() < 0.01 THEN MOD(no_w_id + MOD(INTEGER(RAND() * (no_max_w_id - 1)), no_max_w_id - 1), no_max_w_id) + 1 ELSE no_w_id END;
  {{- end}}
  -- The last item of one order in a hundred is unused (2.4.1.4).
  IF RAND() < 0.01 THEN
    CASE no_o_ol_cnt - 1
      {{- range $n := 15}}
      WHEN {{$n}} THEN SET i{{$n}} = 100001;
      {{- end}}
    END CASE;
  END IF;

  SELECT c_discount, c_last, c_credit, w_tax
  INTO no_c_discount, no_c_last, no_c_credit, no_w_tax
  FROM customer, warehouse
  WHERE c_w_id = no_w_id AND c_d_id = no_d_id AND c_id = no_c_id AND w_id = no_w_id;
  IF no_w_tax IS NULL THEN
    SIGNAL SQLSTATE '75000' SET MESSAGE_TEXT = 'NEWORD: there is no such customer';
  END IF;

  UPDATE stock SET
    s_quantity = s_quantity - {{template "quantity"}} + CASE WHEN s_quantity >= 10 + {{template "quantity"}} THEN 0 ELSE 91 END,
    s_ytd = s_ytd + {{template "quantity"}},
    s_order_cnt = s_order_cnt + 1,
    s_remote_cnt = s_remote_cnt + CASE WHEN s_w_id <> no_w_id THEN 1 ELSE 0 END
  WHERE {{template "ordered"}};

  SELECT d_next_o_id, d_tax INTO no_d_next_o_id, no_d_tax
  FROM district WHERE d_w_id = no_w_id AND d_id = no_d_id WITH RS USE AND KEEP UPDATE LOCKS;
  UPDATE district SET d_next_o_id = no_d_next_o_id + 1
  WHERE d_w_id = no_w_id AND d_id = no_d_id;
  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
  VALUES (no_d_next_o_id, no_d_id, no_w_id, no_c_id, tstamp, no_o_ol_cnt,
    CASE WHEN LEAST({{template "supplies"}}) = no_w_id AND GREATEST({{template "supplies"}}) = no_w_id THEN 1 ELSE 0 END);
  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (no_d_next_o_id, no_d_id, no_w_id);
  INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
  SELECT no_d_next_o_id, no_d_id, no_w_id, 1 + {{template "line"}}, s_i_id, s_w_id,
    {{template "quantity"}},
    i_price * {{template "quantity"}},
    CASE no_d_id
      WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05
      WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
  FROM stock, item
  WHERE i_id = s_i_id AND {{template "ordered"}};
  GET DIAGNOSTICS written = ROW_COUNT;

  -- The item of a line does not exist: "item number is not valid" (2.4.2.3).
  IF written < no_o_ol_cnt THEN
    ROLLBACK;
    SET no_d_next_o_id = 0;
  ELSE
    COMMIT;
  END IF;
END
/
COMMENT ON PROCEDURE NEWORD IS 'Sledge'
/

-- TPC-C 2.5.
CREATE OR REPLACE PROCEDURE PAYMENT (
  IN p_w_id         INTEGER,
  IN p_d_id         INTEGER,
  IN p_c_w_id       INTEGER,
  IN p_c_d_id       INTEGER,
  INOUT p_c_id      INTEGER,
  IN byname         INTEGER,
  IN p_h_amount     DECIMAL(6,2),
  INOUT p_c_last    VARCHAR(16),
  OUT p_w_street_1  VARCHAR(20),
  OUT p_w_street_2  VARCHAR(20),
  OUT p_w_city      VARCHAR(20),
  OUT p_w_state     CHAR(2),
  OUT p_w_zip       CHAR(9),
  OUT p_d_street_1  VARCHAR(20),
  OUT p_d_street_2  VARCHAR(20),
  OUT p_d_city      VARCHAR(20),
  OUT p_d_state     CHAR(2),
  OUT p_d_zip       CHAR(9),
  OUT p_c_first     VARCHAR(16),
  OUT p_c_middle    CHAR(2),
  OUT p_c_street_1  VARCHAR(20),
  OUT p_c_street_2  VARCHAR(20),
  OUT p_c_city      VARCHAR(20),
  OUT p_c_state     CHAR(2),
  OUT p_c_zip       CHAR(9),
  OUT p_c_phone     CHAR(16),
  OUT p_c_since     TIMESTAMP,
  INOUT p_c_credit  CHAR(2),
  OUT p_c_credit_lim DECIMAL(12,2),
  OUT p_c_discount  DECIMAL(4,4),
  INOUT p_c_balance DECIMAL(12,2),
  OUT p_c_data      VARCHAR(500),
  IN tstamp         TIMESTAMP
)
LANGUAGE SQL
BEGIN
  DECLARE changed INTEGER;
  DECLARE p_h_data VARCHAR(24);
  {{- template "on error"}}

  IF byname = 1 THEN
    -- Of n customers with this last name, the one at n/2, rounded up, by first name (2.5.2.2).
    SELECT same.id INTO p_c_id
    FROM (
      SELECT c_id AS id, ROW_NUMBER() OVER (ORDER BY c_first) AS place, COUNT(*) OVER () AS many
      FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last) AS same
    WHERE same.place = (same.many + 1) / 2;
  END IF;

  -- For a customer with bad credit, the payment is prepended to c_data, which loses its end
  -- (2.5.2.2).
  UPDATE customer SET
    c_balance = c_balance - p_h_amount,
    c_ytd_payment = c_ytd_payment + p_h_amount,
    c_payment_cnt = c_payment_cnt + 1,
    c_data = CASE WHEN c_credit = 'BC' THEN
      SUBSTR(VARCHAR(c_id) || ' ' || VARCHAR(c_d_id) || ' ' || VARCHAR(c_w_id) || ' ' || VARCHAR(p_d_id) || ' ' || VARCHAR(p_w_id) || ' ' ||
        VARCHAR(p_h_amount) || '|' || c_data, 1, LEAST(500, LENGTH(VARCHAR(c_id) || VARCHAR(c_d_id) || VARCHAR(c_w_id) || VARCHAR(p_d_id) || VARCHAR(p_w_id) ||
        VARCHAR(p_h_amount)) + 6 + LENGTH(c_data)))
      ELSE c_data END
  WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed = 0 THEN
    SIGNAL SQLSTATE '75000' SET MESSAGE_TEXT = 'PAYMENT: there is no such customer';
  END IF;
  UPDATE district SET d_ytd = d_ytd + p_h_amount WHERE d_w_id = p_w_id AND d_id = p_d_id;

  SELECT w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip,
    c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
    c_since, c_credit, c_credit_lim, c_discount, c_balance, c_data, w_name || '    ' || d_name
  INTO p_w_street_1, p_w_street_2, p_w_city, p_w_state, p_w_zip, p_d_street_1, p_d_street_2, p_d_city, p_d_state, p_d_zip,
    p_c_first, p_c_middle, p_c_last, p_c_street_1, p_c_street_2, p_c_city, p_c_state, p_c_zip, p_c_phone,
    p_c_since, p_c_credit, p_c_credit_lim, p_c_discount, p_c_balance, p_c_data, p_h_data
  FROM warehouse, district, customer
  WHERE w_id = p_w_id AND d_w_id = p_w_id AND d_id = p_d_id AND c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;

  INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
  VALUES (p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, tstamp, p_h_amount, p_h_data);
  UPDATE warehouse SET w_ytd = w_ytd + p_h_amount WHERE w_id = p_w_id;
  COMMIT;
END
/
COMMENT ON PROCEDURE PAYMENT IS 'Sledge'
/

-- TPC-C 2.7, all ten districts in one transaction. Returns the delivered order of each district, or
-- 0 for none.
CREATE OR REPLACE PROCEDURE DELIVERY (
  IN d_w_id_in      INTEGER,
  IN carrier        INTEGER,
  IN tstamp         TIMESTAMP,
  OUT delivered     DELIVARRAY
)
LANGUAGE SQL
BEGIN
  DECLARE place, oldest, order_customer, taken INTEGER;
  DECLARE order_amount DECIMAL(12,2);
  {{- template "on error"}}

  SET place = 1;
  WHILE place <= 10 DO
    -- If another delivery was faster, the order does not exist any more, and this delivery tries
    -- the next.
    SET oldest = 0;
    SET taken = 0;
    WHILE taken = 0 AND oldest IS NOT NULL DO
      SELECT MIN(no_o_id) INTO oldest
      FROM new_order WHERE no_w_id = d_w_id_in AND no_d_id = place AND no_o_id > oldest;
      IF oldest IS NOT NULL THEN
        DELETE FROM new_order WHERE no_w_id = d_w_id_in AND no_d_id = place AND no_o_id = oldest;
        GET DIAGNOSTICS taken = ROW_COUNT;
      END IF;
    END WHILE;
    SET delivered[place] = COALESCE(oldest, 0);
    IF taken = 1 THEN
      UPDATE orders SET o_carrier_id = carrier
      WHERE o_w_id = d_w_id_in AND o_d_id = place AND o_id = oldest;
      UPDATE order_line SET ol_delivery_d = tstamp
      WHERE ol_w_id = d_w_id_in AND ol_d_id = place AND ol_o_id = oldest;
      SELECT o_c_id INTO order_customer
      FROM orders WHERE o_w_id = d_w_id_in AND o_d_id = place AND o_id = oldest;
      SELECT SUM(ol_amount) INTO order_amount
      FROM order_line WHERE ol_w_id = d_w_id_in AND ol_d_id = place AND ol_o_id = oldest;
      UPDATE customer SET c_balance = c_balance + order_amount, c_delivery_cnt = c_delivery_cnt + 1
      WHERE c_w_id = d_w_id_in AND c_d_id = place AND c_id = order_customer;
    END IF;
    SET place = place + 1;
  END WHILE;
  COMMIT;
END
/
COMMENT ON PROCEDURE DELIVERY IS 'Sledge'
/

-- TPC-C 2.6.
CREATE OR REPLACE PROCEDURE OSTAT (
  IN os_w_id          INTEGER,
  IN os_d_id          INTEGER,
  INOUT os_c_id       INTEGER,
  IN byname           INTEGER,
  INOUT os_c_last     VARCHAR(16),
  OUT os_c_first      VARCHAR(16),
  OUT os_c_middle     CHAR(2),
  OUT os_c_balance    DECIMAL(12,2),
  OUT os_o_id         INTEGER,
  OUT os_entdate      TIMESTAMP,
  OUT os_o_carrier_id INTEGER
)
LANGUAGE SQL
BEGIN
  DECLARE line_count INTEGER;
  DECLARE lines_amount DECIMAL(12,2);
  DECLARE last_delivery TIMESTAMP;
  {{- template "on error"}}

  IF byname = 1 THEN
    -- Like PAYMENT (2.6.2.2).
    SELECT same.id INTO os_c_id
    FROM (
      SELECT c_id AS id, ROW_NUMBER() OVER (ORDER BY c_first) AS place, COUNT(*) OVER () AS many
      FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last) AS same
    WHERE same.place = (same.many + 1) / 2;
  END IF;
  SELECT c_first, c_middle, c_last, c_balance
  INTO os_c_first, os_c_middle, os_c_last, os_c_balance
  FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_id = os_c_id;
  SELECT o_id, o_entry_d, o_carrier_id INTO os_o_id, os_entdate, os_o_carrier_id
  FROM orders WHERE o_w_id = os_w_id AND o_d_id = os_d_id AND o_c_id = os_c_id
  ORDER BY o_id DESC FETCH FIRST 1 ROW ONLY;
  -- The lines have no parameter, but the transaction must read them.
  SELECT COUNT(ol_i_id + ol_supply_w_id + ol_quantity), SUM(ol_amount), MAX(ol_delivery_d)
  INTO line_count, lines_amount, last_delivery
  FROM order_line WHERE ol_w_id = os_w_id AND ol_d_id = os_d_id AND ol_o_id = os_o_id;
  COMMIT;
END
/
COMMENT ON PROCEDURE OSTAT IS 'Sledge'
/

-- TPC-C 2.8.
CREATE OR REPLACE PROCEDURE SLEV (
  IN st_w_id      INTEGER,
  IN st_d_id      INTEGER,
  IN threshold    INTEGER,
  OUT stock_level INTEGER
)
LANGUAGE SQL
BEGIN
  {{- template "on error"}}

  SELECT COUNT(DISTINCT s_i_id) INTO stock_level
  FROM district, order_line, stock
  WHERE d_w_id = st_w_id AND d_id = st_d_id
    AND ol_w_id = d_w_id AND ol_d_id = d_id AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id
    AND s_w_id = d_w_id AND s_i_id = ol_i_id AND s_quantity < threshold;
  COMMIT;
END
/
COMMENT ON PROCEDURE SLEV IS 'Sledge'
