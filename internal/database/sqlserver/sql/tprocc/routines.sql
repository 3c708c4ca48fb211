-- The five transactions of TPC-C 2.4 to 2.8 as stored procedures. Their names and their parameters'
-- names are those of TPROC-C, so that every program for TPROC-C can call them. They return rows,
-- and each is a transaction of its own. XACT_ABORT makes an error end the procedure, roll it back
-- and reach the caller.
--
-- All lock rows in the same order, the most contended last: stock, customer, district, warehouse.
-- So they wait for each other only briefly, and rarely deadlock. Tables in memory have no locks,
-- and allow no hints about locks.
{{- define "update lock"}}{{if not .Connection.InMemory}} WITH (UPDLOCK){{end}}{{end}}

{{- /*
An order has up to fifteen lines. Each is drawn into variables of its own, numbered from 0: i7 is
the item of the eighth line, s7 the warehouse that supplies it, q7 the quantity.
*/}}

DROP PROCEDURE IF EXISTS dbo.neword
/
-- TPC-C 2.4. The lines are drawn together, and two statements write them, which read and so lock
-- the stock by ascending key. The number 0 means that the order was rolled back.
CREATE PROCEDURE dbo.neword
	@no_w_id     int,
	@no_max_w_id int,
	@no_d_id     int,
	@no_c_id     int,
	@no_o_ol_cnt int,
	@TIMESTAMP   datetime2(0)
AS
BEGIN
	-- made by Sledge
	SET NOCOUNT ON;
	SET XACT_ABORT ON;
	DECLARE @no_c_discount smallmoney, @no_c_last char(16), @no_c_credit char(2), @no_d_tax smallmoney, @no_w_tax smallmoney,
		@no_d_next_o_id int, @o_id int, @all_local int, @last_item int, @drawn int = 0;
	DECLARE {{range $n := 15}}{{if $n}}, {{end}}@i{{$n}} int, @s{{$n}} int, @q{{$n}} int{{end}};
	DECLARE @lines TABLE (number int NOT NULL, item int NOT NULL, supply int NOT NULL, quantity int NOT NULL, PRIMARY KEY (supply, item));

	-- Items are NURand(8191, 1, 100000) with C = 7911 (2.1.6, 2.4.1.5). The items identify the
	-- lines, so an order with the same item twice is drawn again; this is about one order in a
	-- hundred. Another warehouse supplies one line in a hundred, each with the same probability.
	WHILE @drawn < @no_o_ol_cnt
	BEGIN
		SELECT
			{{- range $n := 15}}{{if $n}},{{end}}
			@i{{$n}} = ((CAST(RAND() * 8192 AS int) | CAST(1 + RAND() * 100000 AS int)) + 7911) % 100000 + 1,
			@q{{$n}} = CAST(1 + RAND() * 10 AS int),
			@s{{$n}} = CASE WHEN RAND() < 0.01 AND @no_max_w_id > 1 THEN (@no_w_id + CAST(RAND() * (@no_max_w_id - 1) AS int)) % @no_max_w_id + 1 ELSE @no_w_id END
			{{- end}};
		SELECT @drawn = COUNT(DISTINCT v.item)
		FROM (VALUES {{range $n := 15}}{{if $n}}, {{end}}({{$n}}, @i{{$n}}){{end}}) AS v (number, item)
		WHERE v.number < @no_o_ol_cnt;
	END;
	-- The last item of one order in a hundred is unused (2.4.1.4).
	SET @last_item = CASE WHEN RAND() < 0.01 THEN 100001 ELSE 0 END;
	INSERT INTO @lines (number, item, supply, quantity)
	SELECT v.number + 1, CASE WHEN v.number + 1 = @no_o_ol_cnt AND @last_item > 0 THEN @last_item ELSE v.item END, v.supply, v.quantity
	FROM (VALUES
		{{- range $n := 15}}{{if $n}},{{end}}
		({{$n}}, @i{{$n}}, @s{{$n}}, @q{{$n}})
		{{- end}}) AS v (number, item, supply, quantity)
	WHERE v.number < @no_o_ol_cnt;
	SELECT @all_local = CASE WHEN COUNT(*) = 0 THEN 1 ELSE 0 END FROM @lines AS l WHERE l.supply <> @no_w_id;

	BEGIN TRANSACTION;
	SELECT @no_c_discount = c_discount, @no_c_last = c_last, @no_c_credit = c_credit, @no_w_tax = w_tax
	FROM dbo.customer, dbo.warehouse
	WHERE c_w_id = @no_w_id AND c_d_id = @no_d_id AND c_id = @no_c_id AND w_id = @no_w_id;
	IF @no_w_tax IS NULL
		THROW 50001, 'neword: there is no such customer', 1;

	UPDATE dbo.stock SET
		s_quantity = stock.s_quantity - l.quantity + CASE WHEN stock.s_quantity >= l.quantity + 10 THEN 0 ELSE 91 END,
		s_ytd = stock.s_ytd + l.quantity,
		s_order_cnt = stock.s_order_cnt + 1,
		s_remote_cnt = stock.s_remote_cnt + CASE WHEN stock.s_w_id = @no_w_id THEN 0 ELSE 1 END
	FROM @lines AS l
	INNER JOIN dbo.stock ON stock.s_w_id = l.supply AND stock.s_i_id = l.item
	OPTION (LOOP JOIN, FORCE ORDER);

	-- The update locks the district until the commit, so the SELECT reads the number of this order.
	-- On Babelfish, an UPDATE that also sets a variable can return the same number to two sessions.
	UPDATE dbo.district SET d_next_o_id = d_next_o_id + 1
	WHERE d_w_id = @no_w_id AND d_id = @no_d_id;
	SELECT @no_d_next_o_id = d_next_o_id, @no_d_tax = d_tax FROM dbo.district WHERE d_w_id = @no_w_id AND d_id = @no_d_id;
	SET @o_id = @no_d_next_o_id - 1;
	INSERT INTO dbo.orders (o_id, o_d_id, o_w_id, o_c_id, o_carrier_id, o_ol_cnt, o_all_local, o_entry_d)
	VALUES (@o_id, @no_d_id, @no_w_id, @no_c_id, NULL, @no_o_ol_cnt, @all_local, @TIMESTAMP);
	INSERT INTO dbo.new_order (no_o_id, no_d_id, no_w_id) VALUES (@o_id, @no_d_id, @no_w_id);
	INSERT INTO dbo.order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_delivery_d, ol_amount, ol_supply_w_id, ol_quantity, ol_dist_info)
	SELECT @o_id, @no_d_id, @no_w_id, l.number, l.item, NULL, item.i_price * l.quantity, l.supply, l.quantity,
		CASE @no_d_id
			WHEN 1 THEN stock.s_dist_01 WHEN 2 THEN stock.s_dist_02 WHEN 3 THEN stock.s_dist_03 WHEN 4 THEN stock.s_dist_04 WHEN 5 THEN stock.s_dist_05
			WHEN 6 THEN stock.s_dist_06 WHEN 7 THEN stock.s_dist_07 WHEN 8 THEN stock.s_dist_08 WHEN 9 THEN stock.s_dist_09 ELSE stock.s_dist_10 END
	FROM @lines AS l
	INNER JOIN dbo.item ON item.i_id = l.item
	INNER JOIN dbo.stock ON stock.s_w_id = l.supply AND stock.s_i_id = l.item
	OPTION (LOOP JOIN, FORCE ORDER);

	-- The item of a line does not exist: "item number is not valid" (2.4.2.3).
	IF @@ROWCOUNT < @no_o_ol_cnt
	BEGIN
		ROLLBACK TRANSACTION;
		SET @o_id = 0;
	END
	ELSE
		COMMIT TRANSACTION;
	SELECT @no_c_discount AS no_c_discount, @no_c_last AS no_c_last, @no_c_credit AS no_c_credit, @no_d_tax AS no_d_tax, @no_w_tax AS no_w_tax,
		@o_id AS no_d_next_o_id;
END
/
DROP PROCEDURE IF EXISTS dbo.payment
/
-- TPC-C 2.5.
CREATE PROCEDURE dbo.payment
	@p_w_id     int,
	@p_d_id     int,
	@p_c_w_id   int,
	@p_c_d_id   int,
	@p_c_id     int,
	@byname     int,
	@p_h_amount numeric(6,2),
	@p_c_last   char(16),
	@TIMESTAMP  datetime2(0)
AS
BEGIN
	-- made by Sledge
	SET NOCOUNT ON;
	SET XACT_ABORT ON;
	DECLARE @customers_before int;

	BEGIN TRANSACTION;
	IF @byname = 1
	BEGIN
		-- Of n customers with this last name, the one at n/2, rounded up, by first name (2.5.2.2).
		SELECT @customers_before = (COUNT(*) - 1) / 2
		FROM dbo.customer WHERE c_w_id = @p_c_w_id AND c_d_id = @p_c_d_id AND c_last = @p_c_last;
		SELECT @p_c_id = c_id
		FROM dbo.customer WHERE c_w_id = @p_c_w_id AND c_d_id = @p_c_d_id AND c_last = @p_c_last
		ORDER BY c_first OFFSET @customers_before ROWS FETCH NEXT 1 ROWS ONLY;
	END;

	-- For a customer with bad credit, the payment is prepended to c_data, which loses its end
	-- (2.5.2.2).
	UPDATE dbo.customer SET
		c_balance = c_balance - @p_h_amount,
		c_ytd_payment = c_ytd_payment + @p_h_amount,
		c_payment_cnt = c_payment_cnt + 1,
		c_data = CASE WHEN c_credit = 'BC'
			THEN LEFT(CONCAT(c_id, ' ', c_d_id, ' ', c_w_id, ' ', @p_d_id, ' ', @p_w_id, ' ', @p_h_amount, '|', c_data), 500)
			ELSE c_data END
	WHERE c_w_id = @p_c_w_id AND c_d_id = @p_c_d_id AND c_id = @p_c_id;
	IF @@ROWCOUNT = 0
		THROW 50001, 'payment: there is no such customer', 1;
	UPDATE dbo.district SET d_ytd = d_ytd + @p_h_amount WHERE d_w_id = @p_w_id AND d_id = @p_d_id;
	INSERT INTO dbo.history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
	SELECT @p_c_id, @p_c_d_id, @p_c_w_id, @p_d_id, @p_w_id, @TIMESTAMP, @p_h_amount, CONCAT(RTRIM(w_name), '    ', RTRIM(d_name))
	FROM dbo.warehouse, dbo.district
	WHERE w_id = @p_w_id AND d_w_id = @p_w_id AND d_id = @p_d_id;
	UPDATE dbo.warehouse SET w_ytd = w_ytd + @p_h_amount WHERE w_id = @p_w_id;
	SELECT @p_c_id AS p_c_id, c.c_last AS p_c_last, w.w_street_1, w.w_street_2, w.w_city, w.w_state, w.w_zip,
		d.d_street_1, d.d_street_2, d.d_city, d.d_state, d.d_zip,
		c.c_first, c.c_middle, c.c_street_1, c.c_street_2, c.c_city, c.c_state, c.c_zip, c.c_phone,
		c.c_since, c.c_credit, c.c_credit_lim, c.c_discount, c.c_balance, c.c_data
	FROM dbo.warehouse AS w, dbo.district AS d, dbo.customer AS c
	WHERE w.w_id = @p_w_id AND d.d_w_id = @p_w_id AND d.d_id = @p_d_id
		AND c.c_w_id = @p_c_w_id AND c.c_d_id = @p_c_d_id AND c.c_id = @p_c_id;
	COMMIT TRANSACTION;
END
/
DROP PROCEDURE IF EXISTS dbo.delivery
/
-- TPC-C 2.7, all ten districts in one transaction.
CREATE PROCEDURE dbo.delivery
	@d_w_id         int,
	@d_o_carrier_id int,
	@timestamp      datetime2(0)
AS
BEGIN
	-- made by Sledge
	SET NOCOUNT ON;
	SET XACT_ABORT ON;
	DECLARE @district int = 1, @oldest int, @customer int, @amount money, @delivered int = 0;

	BEGIN TRANSACTION;
	WHILE @district <= 10
	BEGIN
		-- Locks the oldest order when it reads it, so that no other delivery takes the same order.
		-- On a server that ignores the hint, such as Babelfish, another delivery may take it: then
		-- the next one is the oldest.
		SET @oldest = NULL;
		SELECT TOP 1 @oldest = no_o_id
		FROM dbo.new_order{{template "update lock" .}} WHERE no_w_id = @d_w_id AND no_d_id = @district ORDER BY no_o_id;
		IF @oldest IS NOT NULL
		BEGIN
			DELETE FROM dbo.new_order WHERE no_w_id = @d_w_id AND no_d_id = @district AND no_o_id = @oldest;
			IF @@ROWCOUNT = 0
				CONTINUE;
			UPDATE dbo.orders SET o_carrier_id = @d_o_carrier_id
			WHERE o_w_id = @d_w_id AND o_d_id = @district AND o_id = @oldest;
			SELECT @customer = o_c_id FROM dbo.orders
			WHERE o_w_id = @d_w_id AND o_d_id = @district AND o_id = @oldest;
			UPDATE dbo.order_line SET ol_delivery_d = @timestamp
			WHERE ol_w_id = @d_w_id AND ol_d_id = @district AND ol_o_id = @oldest;
			SELECT @amount = SUM(ol_amount) FROM dbo.order_line
			WHERE ol_w_id = @d_w_id AND ol_d_id = @district AND ol_o_id = @oldest;
			UPDATE dbo.customer SET c_balance = c_balance + @amount, c_delivery_cnt = c_delivery_cnt + 1
			WHERE c_w_id = @d_w_id AND c_d_id = @district AND c_id = @customer;
			SET @delivered = @delivered + 1;
		END;
		SET @district = @district + 1;
	END;
	COMMIT TRANSACTION;
	SELECT @d_w_id AS d_w_id, @d_o_carrier_id AS d_o_carrier_id, @delivered AS delivered;
END
/
DROP PROCEDURE IF EXISTS dbo.ostat
/
-- TPC-C 2.6: the lines of the customer's last order, then the customer and the order.
CREATE PROCEDURE dbo.ostat
	@os_w_id   int,
	@os_d_id   int,
	@os_c_id   int,
	@byname    int,
	@os_c_last char(20)
AS
BEGIN
	-- made by Sledge
	SET NOCOUNT ON;
	SET XACT_ABORT ON;
	DECLARE @customers_before int, @os_c_first char(16), @os_c_middle char(2), @os_c_balance money,
		@os_o_id int, @os_entdate datetime2(0), @os_o_carrier_id int;

	BEGIN TRANSACTION;
	IF @byname = 1
	BEGIN
		-- Like payment (2.6.2.2).
		SELECT @customers_before = (COUNT(*) - 1) / 2
		FROM dbo.customer WHERE c_w_id = @os_w_id AND c_d_id = @os_d_id AND c_last = @os_c_last;
		SELECT @os_c_id = c_id
		FROM dbo.customer WHERE c_w_id = @os_w_id AND c_d_id = @os_d_id AND c_last = @os_c_last
		ORDER BY c_first OFFSET @customers_before ROWS FETCH NEXT 1 ROWS ONLY;
	END;
	SELECT @os_c_first = c_first, @os_c_middle = c_middle, @os_c_last = c_last, @os_c_balance = c_balance
	FROM dbo.customer WHERE c_w_id = @os_w_id AND c_d_id = @os_d_id AND c_id = @os_c_id;
	SELECT TOP 1 @os_o_id = o_id, @os_entdate = o_entry_d, @os_o_carrier_id = o_carrier_id
	FROM dbo.orders WHERE o_w_id = @os_w_id AND o_d_id = @os_d_id AND o_c_id = @os_c_id
	ORDER BY o_id DESC;
	SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
	FROM dbo.order_line WHERE ol_w_id = @os_w_id AND ol_d_id = @os_d_id AND ol_o_id = @os_o_id;
	COMMIT TRANSACTION;
	SELECT @os_c_id AS os_c_id, @os_c_last AS os_c_last, @os_c_first AS os_c_first, @os_c_middle AS os_c_middle, @os_c_balance AS os_c_balance,
		@os_o_id AS os_o_id, @os_entdate AS os_entdate, @os_o_carrier_id AS os_o_carrier_id;
END
/
DROP PROCEDURE IF EXISTS dbo.slev
/
-- TPC-C 2.8.
CREATE PROCEDURE dbo.slev
	@st_w_id   int,
	@st_d_id   int,
	@threshold int
AS
BEGIN
	-- made by Sledge
	SET NOCOUNT ON;
	SET XACT_ABORT ON;
	DECLARE @next_order int;

	BEGIN TRANSACTION;
	SELECT @next_order = d_next_o_id FROM dbo.district WHERE d_w_id = @st_w_id AND d_id = @st_d_id;
	SELECT COUNT(DISTINCT stock.s_i_id) AS stock_count
	FROM dbo.order_line
	INNER JOIN dbo.stock ON stock.s_w_id = @st_w_id AND stock.s_i_id = order_line.ol_i_id
	WHERE order_line.ol_w_id = @st_w_id AND order_line.ol_d_id = @st_d_id
		AND order_line.ol_o_id >= @next_order - 20 AND order_line.ol_o_id < @next_order
		AND stock.s_quantity < @threshold
	OPTION (LOOP JOIN, MAXDOP 1);
	COMMIT TRANSACTION;
END
