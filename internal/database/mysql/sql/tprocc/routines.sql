-- The five transactions of TPC-C 2.4 to 2.8 as stored procedures. Names, parameters and their order
-- are those of TPROC-C, so that every program for TPROC-C can call them. They return no rows, and
-- each is a transaction of its own. On an error they roll back and return the error, so that a
-- caller that continues cannot commit half a transaction.
--
-- All lock rows in the same order, the most contended last: stock, customer, district, warehouse.
-- So they wait for each other only briefly, and rarely deadlock.
{{- define "on error"}}
	DECLARE EXIT HANDLER FOR SQLEXCEPTION
	BEGIN
		ROLLBACK;
		RESIGNAL;
	END;
{{- end}}

{{- /*
An order has up to fifteen lines. Procedures have no arrays, so each line has
variables of its own, numbered from 0: i7 is the item of the eighth line, s7 the
warehouse that supplies it, q7 the quantity. The item is NULL if the order does not
have the line.
*/}}
{{- define "items"}}{{range $n := 15}}{{if $n}}, {{end}}i{{$n}}{{end}}{{end}}
{{- define "supplies"}}{{range $n := 15}}{{if $n}}, {{end}}s{{$n}}{{end}}{{end}}
{{- define "quantities"}}{{range $n := 15}}{{if $n}}, {{end}}q{{$n}}{{end}}{{end}}

{{- /* The order's values for a row of stock, from the line of its item. */}}
{{- define "line"}}CASE s_i_id{{range $n := 15}} WHEN i{{$n}} THEN {{$n}}{{end}} END{{end}}
{{- define "supply"}}CASE s_i_id{{range $n := 15}} WHEN i{{$n}} THEN s{{$n}}{{end}} END{{end}}
{{- define "quantity"}}CASE s_i_id{{range $n := 15}} WHEN i{{$n}} THEN q{{$n}}{{end}} END{{end}}

{{- /*
The condition searches the rows of stock of an order among all its items in all its
warehouses. Nine orders in ten have one warehouse, so this is cheaper than a search
for each row. The statement reads, and so locks, the rows by ascending key.
*/}}
{{- define "ordered"}}s_w_id IN ({{template "supplies"}}) AND s_i_id IN ({{template "items"}}) AND s_w_id = {{template "supply"}}{{end}}

DROP PROCEDURE IF EXISTS NEWORD
/
-- TPC-C 2.4. The lines are drawn together, and two statements write them, which takes a sixth less
-- time than a loop and locks their stock in order. The lines' values for a terminal and the total
-- amount have no output parameters.
CREATE PROCEDURE NEWORD (
	no_w_id              INT,
	no_max_w_id          INT,
	no_d_id              INT,
	no_c_id              INT,
	no_o_ol_cnt          INT,
	OUT no_c_discount    DECIMAL(4,4),
	OUT no_c_last        VARCHAR(16),
	OUT no_c_credit      VARCHAR(2),
	OUT no_d_tax         DECIMAL(4,4),
	OUT no_w_tax         DECIMAL(4,4),
	INOUT no_d_next_o_id INT,
	`timestamp`          DATETIME
)
COMMENT 'Sledge'
BEGIN
	DECLARE {{template "items"}} INT;
	DECLARE {{template "supplies"}} INT;
	DECLARE {{template "quantities"}} INT;
	{{- template "on error"}}

	-- Items are NURand(8191, 1, 100000) with C = 7911 (2.1.6, 2.4.1.5). The items identify the
	-- lines, so an order with the same item twice is drawn again; this is about one order in a
	-- hundred.
	REPEAT
		SELECT
			{{- range $n := 15}}{{if $n}},{{end}}
			IF(no_o_ol_cnt > {{$n}}, ((FLOOR(RAND() * 8192) | FLOOR(1 + RAND() * 100000)) + 7911) % 100000 + 1, NULL)
			{{- end}}
		INTO {{template "items"}};
	UNTIL (FALSE
		{{- range $n := 15}}{{if $n}}
		OR i{{$n}} IN ({{range $m := $n}}{{if $m}}, {{end}}i{{$m}}{{end}})
		{{- end}}{{end}}) IS NOT TRUE
	END REPEAT;
	-- Another warehouse supplies one line in a hundred, each with the same probability (2.4.1.5).
	SELECT
		{{- range $n := 15}}
		FLOOR(1 + RAND() * 10),
		{{- end}}
		{{- range $n := 15}}{{if $n}},{{end}}
		IF(no_o_ol_cnt > {{$n}} AND RAND() < 0.01 AND no_max_w_id > 1, (no_w_id + FLOOR(RAND() * (no_max_w_id - 1))) % no_max_w_id + 1, no_w_id)
		{{- end}}
	INTO {{template "quantities"}}, {{template "supplies"}};
	-- The last item of one order in a hundred is unused (2.4.1.4).
	IF RAND() < 0.01 THEN
		CASE no_o_ol_cnt - 1
			{{- range $n := 15}}
			WHEN {{$n}} THEN SET i{{$n}} = 100001;
			{{- end}}
		END CASE;
	END IF;

	START TRANSACTION;
	SELECT c_discount, c_last, c_credit, w_tax
	INTO no_c_discount, no_c_last, no_c_credit, no_w_tax
	FROM customer, warehouse
	WHERE c_w_id = no_w_id AND c_d_id = no_d_id AND c_id = no_c_id AND w_id = no_w_id;
	IF no_w_tax IS NULL THEN
		SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'NEWORD: there is no such customer';
	END IF;

	UPDATE stock SET
		s_quantity = s_quantity - {{template "quantity"}} + IF(s_quantity >= 10 + {{template "quantity"}}, 0, 91),
		s_ytd = s_ytd + {{template "quantity"}},
		s_order_cnt = s_order_cnt + 1,
		s_remote_cnt = s_remote_cnt + (s_w_id <> no_w_id)
	WHERE {{template "ordered"}};

	SELECT d_next_o_id, d_tax INTO no_d_next_o_id, no_d_tax
	FROM district WHERE d_w_id = no_w_id AND d_id = no_d_id FOR UPDATE;
	UPDATE district SET d_next_o_id = no_d_next_o_id + 1
	WHERE d_w_id = no_w_id AND d_id = no_d_id;
	INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
	VALUES (no_d_next_o_id, no_d_id, no_w_id, no_c_id, `timestamp`, no_o_ol_cnt,
		LEAST({{template "supplies"}}) = no_w_id AND GREATEST({{template "supplies"}}) = no_w_id);
	INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (no_d_next_o_id, no_d_id, no_w_id);
	INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
	SELECT no_d_next_o_id, no_d_id, no_w_id, 1 + {{template "line"}}, s_i_id, s_w_id,
		{{template "quantity"}},
		i_price * {{template "quantity"}},
		CASE no_d_id
			WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05
			WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
	FROM stock STRAIGHT_JOIN item ON i_id = s_i_id
	WHERE {{template "ordered"}};

	-- The item of a line does not exist: "item number is not valid" (2.4.2.3).
	IF ROW_COUNT() < no_o_ol_cnt THEN
		ROLLBACK;
		SET no_d_next_o_id = 0;
	ELSE
		COMMIT;
	END IF;
END
/

DROP PROCEDURE IF EXISTS PAYMENT
/
-- TPC-C 2.5. Columns with the name of a parameter are qualified, because an unqualified name means
-- the parameter.
CREATE PROCEDURE PAYMENT (
	p_w_id            INT,
	p_d_id            INT,
	p_c_w_id          INT,
	p_c_d_id          INT,
	INOUT p_c_id      INT,
	byname            INT,
	p_h_amount        DECIMAL(6,2),
	INOUT p_c_last    VARCHAR(16),
	OUT w_street_1    VARCHAR(20),
	OUT w_street_2    VARCHAR(20),
	OUT w_city        VARCHAR(20),
	OUT w_state       CHAR(2),
	OUT w_zip         CHAR(9),
	OUT d_street_1    VARCHAR(20),
	OUT d_street_2    VARCHAR(20),
	OUT d_city        VARCHAR(20),
	OUT d_state       CHAR(2),
	OUT d_zip         CHAR(9),
	OUT c_first       VARCHAR(16),
	OUT c_middle      CHAR(2),
	OUT c_street_1    VARCHAR(20),
	OUT c_street_2    VARCHAR(20),
	OUT c_city        VARCHAR(20),
	OUT c_state       CHAR(2),
	OUT c_zip         CHAR(9),
	OUT c_phone       CHAR(16),
	OUT c_since       DATETIME,
	INOUT p_c_credit  CHAR(2),
	OUT c_credit_lim  DECIMAL(12,2),
	OUT c_discount    DECIMAL(4,4),
	INOUT p_c_balance DECIMAL(12,2),
	OUT p_c_data      VARCHAR(500),
	`timestamp`       DATETIME
)
COMMENT 'Sledge'
BEGIN
	DECLARE customers_before INT;
	DECLARE p_h_data VARCHAR(24);
	{{- template "on error"}}

	START TRANSACTION;
	IF byname = 1 THEN
		-- Of n customers with this last name, the one at n/2, rounded up, by first name (2.5.2.2).
		SELECT (COUNT(*) - 1) DIV 2 INTO customers_before
		FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last;
		SELECT c_id INTO p_c_id
		FROM customer WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_last = p_c_last
		ORDER BY customer.c_first LIMIT customers_before, 1;
	END IF;

	-- For a customer with bad credit, the payment is prepended to c_data, which loses its end
	-- (2.5.2.2).
	UPDATE customer SET
		c_balance = c_balance - p_h_amount,
		c_ytd_payment = c_ytd_payment + p_h_amount,
		c_payment_cnt = c_payment_cnt + 1,
		c_data = IF(c_credit = 'BC',
			LEFT(CONCAT(c_id, ' ', c_d_id, ' ', c_w_id, ' ', p_d_id, ' ', p_w_id, ' ', p_h_amount, '|', c_data), 500),
			c_data)
	WHERE c_w_id = p_c_w_id AND c_d_id = p_c_d_id AND c_id = p_c_id;
	IF ROW_COUNT() = 0 THEN
		SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'PAYMENT: there is no such customer';
	END IF;
	UPDATE district SET d_ytd = d_ytd + p_h_amount WHERE d_w_id = p_w_id AND d_id = p_d_id;

	SELECT w.w_street_1, w.w_street_2, w.w_city, w.w_state, w.w_zip,
		d.d_street_1, d.d_street_2, d.d_city, d.d_state, d.d_zip,
		c.c_first, c.c_middle, c.c_last, c.c_street_1, c.c_street_2, c.c_city, c.c_state, c.c_zip, c.c_phone,
		c.c_since, c.c_credit, c.c_credit_lim, c.c_discount, c.c_balance, c.c_data,
		CONCAT(w.w_name, '    ', d.d_name)
	INTO w_street_1, w_street_2, w_city, w_state, w_zip,
		d_street_1, d_street_2, d_city, d_state, d_zip,
		c_first, c_middle, p_c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone,
		c_since, p_c_credit, c_credit_lim, c_discount, p_c_balance, p_c_data,
		p_h_data
	FROM warehouse w, district d, customer c
	WHERE w.w_id = p_w_id AND d.d_w_id = p_w_id AND d.d_id = p_d_id
		AND c.c_w_id = p_c_w_id AND c.c_d_id = p_c_d_id AND c.c_id = p_c_id;

	INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
	VALUES (p_c_id, p_c_d_id, p_c_w_id, p_d_id, p_w_id, `timestamp`, p_h_amount, p_h_data);
	UPDATE warehouse SET w_ytd = w_ytd + p_h_amount WHERE w_id = p_w_id;
	COMMIT;
END
/
DROP PROCEDURE IF EXISTS DELIVERY
/
-- TPC-C 2.7, all ten districts in one transaction.
CREATE PROCEDURE DELIVERY (
	d_w_id         INT,
	d_o_carrier_id INT,
	`timestamp`    DATETIME
)
COMMENT 'Sledge'
BEGIN
	DECLARE district, oldest, order_customer INT;
	DECLARE taken INT;
	DECLARE order_amount DECIMAL(12,2);
	{{- template "on error"}}

	START TRANSACTION;
	SET district = 1;
	WHILE district <= 10 DO
		-- A read without a lock finds the oldest order, and the delete locks it by its whole key. A
		-- lock on the first row of a range would include the gap before it, where the previous
		-- district gets its new orders. If another delivery was faster, the order does not exist
		-- any more, and this delivery tries the next.
		SET oldest = 0;
		SET taken = 0;
		WHILE taken = 0 AND oldest IS NOT NULL DO
			SELECT MIN(no_o_id) INTO oldest
			FROM new_order WHERE no_w_id = d_w_id AND no_d_id = district AND no_o_id > oldest;
			IF oldest IS NOT NULL THEN
				DELETE FROM new_order WHERE no_w_id = d_w_id AND no_d_id = district AND no_o_id = oldest;
				SET taken = ROW_COUNT();
			END IF;
		END WHILE;
		IF taken = 1 THEN
			UPDATE orders SET o_carrier_id = d_o_carrier_id
			WHERE o_w_id = d_w_id AND o_d_id = district AND o_id = oldest;
			UPDATE order_line SET ol_delivery_d = `timestamp`
			WHERE ol_w_id = d_w_id AND ol_d_id = district AND ol_o_id = oldest;
			SELECT o_c_id INTO order_customer
			FROM orders WHERE o_w_id = d_w_id AND o_d_id = district AND o_id = oldest;
			SELECT SUM(ol_amount) INTO order_amount
			FROM order_line WHERE ol_w_id = d_w_id AND ol_d_id = district AND ol_o_id = oldest;
			UPDATE customer SET c_balance = c_balance + order_amount, c_delivery_cnt = c_delivery_cnt + 1
			WHERE c_w_id = d_w_id AND c_d_id = district AND c_id = order_customer;
		END IF;
		SET district = district + 1;
	END WHILE;
	COMMIT;
END
/
DROP PROCEDURE IF EXISTS OSTAT
/
-- TPC-C 2.6.
CREATE PROCEDURE OSTAT (
	os_w_id            INT,
	os_d_id            INT,
	INOUT os_c_id      INT,
	byname             INT,
	INOUT os_c_last    VARCHAR(16),
	OUT os_c_first     VARCHAR(16),
	OUT os_c_middle    CHAR(2),
	OUT os_c_balance   DECIMAL(12,2),
	OUT os_o_id        INT,
	OUT os_entdate     DATETIME,
	OUT os_o_carrier_id INT
)
COMMENT 'Sledge'
BEGIN
	DECLARE customers_before, line_count INT;
	DECLARE lines_amount DECIMAL(12,2);
	DECLARE last_delivery DATETIME;
	{{- template "on error"}}

	START TRANSACTION READ ONLY;
	IF byname = 1 THEN
		-- Like PAYMENT (2.6.2.2).
		SELECT (COUNT(*) - 1) DIV 2 INTO customers_before
		FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last;
		SELECT c_id INTO os_c_id
		FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_last = os_c_last
		ORDER BY c_first LIMIT customers_before, 1;
	END IF;
	SELECT c_first, c_middle, c_last, c_balance
	INTO os_c_first, os_c_middle, os_c_last, os_c_balance
	FROM customer WHERE c_w_id = os_w_id AND c_d_id = os_d_id AND c_id = os_c_id;
	SELECT o_id, o_entry_d, o_carrier_id INTO os_o_id, os_entdate, os_o_carrier_id
	FROM orders WHERE o_w_id = os_w_id AND o_d_id = os_d_id AND o_c_id = os_c_id
	ORDER BY o_id DESC LIMIT 1;
	-- The lines have no parameter, but the transaction must read them.
	SELECT COUNT(ol_i_id + ol_supply_w_id + ol_quantity), SUM(ol_amount), MAX(ol_delivery_d)
	INTO line_count, lines_amount, last_delivery
	FROM order_line WHERE ol_w_id = os_w_id AND ol_d_id = os_d_id AND ol_o_id = os_o_id;
	COMMIT;
END
/
DROP PROCEDURE IF EXISTS SLEV
/
-- TPC-C 2.8.
CREATE PROCEDURE SLEV (
	st_w_id         INT,
	st_d_id         INT,
	threshold       INT,
	OUT stock_count INT
)
COMMENT 'Sledge'
BEGIN
	DECLARE next_order INT;
	{{- template "on error"}}

	START TRANSACTION READ ONLY;
	SELECT d_next_o_id INTO next_order FROM district WHERE d_w_id = st_w_id AND d_id = st_d_id;
	SELECT COUNT(DISTINCT s_i_id) INTO stock_count
	FROM order_line STRAIGHT_JOIN stock ON s_w_id = st_w_id AND s_i_id = ol_i_id
	WHERE ol_w_id = st_w_id AND ol_d_id = st_d_id AND ol_o_id >= next_order - 20 AND ol_o_id < next_order
		AND s_quantity < threshold;
	COMMIT;
END
/
