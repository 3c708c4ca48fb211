package mysql_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// call holds the inputs of the routines, with the workload's tags.
type call struct {
	WID       int64  `sql:"w_id"`
	MaxWID    int64  `sql:"max_w_id"`
	DID       int64  `sql:"d_id"`
	CID       int64  `sql:"c_id"`
	LineCount int64  `sql:"ol_cnt"`
	CWID      int64  `sql:"c_w_id"`
	CDID      int64  `sql:"c_d_id"`
	ByName    int64  `sql:"by_name"`
	Amount    int64  `sql:"h_amount_cents"`
	LastName  string `sql:"c_last"`
	CarrierID int64  `sql:"carrier_id"`
	Threshold int64  `sql:"threshold"`
	Seed1     int64  `sql:"seed1"`
	Seed2     int64  `sql:"seed2"`
}

// bench is a session with prepared calls of the routines.
type bench struct {
	database.Session
	server *server
	in     call
	calls  map[string]database.Statement
	out    struct {
		order struct {
			ID int64 `sql:"no_d_next_o_id"`
		}
		customer struct {
			ID int64 `sql:"p_c_id"`
		}
		stock struct {
			Count int64 `sql:"stock_count"`
		}
	}
}

func newBench(t testing.TB, s *server) *bench {
	t.Helper()
	b := &bench{Session: s.connect(t), server: s, calls: map[string]database.Statement{}}
	b.in = call{WID: 1, MaxWID: 2, DID: 1, CID: 1, CWID: 1, CDID: 1, LineCount: 10, Amount: 100, CarrierID: 1, Threshold: 10}
	for name, out := range map[string]any{
		"neword": &b.out.order, "payment": &b.out.customer, "slev": &b.out.stock, "delivery": nil, "ostat": nil,
	} {
		b.calls[name] = b.prepare(t, "procedure."+name, out)
	}
	b.calls["seed"] = b.prepare(t, "seed_session", nil)
	return b
}

func (b *bench) prepare(t testing.TB, name string, out any) database.Statement {
	t.Helper()
	q, err := b.server.library(t).Query(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Prepare(t.Context(), q, &b.in, out)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (b *bench) run(t testing.TB, name string) {
	t.Helper()
	if _, err := b.calls[name].Run(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// fill creates two warehouses with all items and stock, their districts, and three customers in
// each district. The stock of item i is 10 + i % 91. sledge_numbers holds 0 to 99,999, because the
// products share no function that generates series.
const fill = `
CREATE TABLE sledge_digits (d INT) AS SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
  UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9;
CREATE TABLE sledge_numbers (n INT PRIMARY KEY) AS SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d AS n
  FROM sledge_digits a, sledge_digits b, sledge_digits c, sledge_digits d, sledge_digits e;
START TRANSACTION;
INSERT INTO item SELECT n + 1, 1, 'item', (n + 1) % 99 + 1.25, 'data' FROM sledge_numbers;
INSERT INTO stock SELECT n + 1, w.d, 10 + (n + 1) % 91, 'dist 01', 'dist 02', 'dist 03', 'dist 04', 'dist 05', 'dist 06', 'dist 07',
  'dist 08', 'dist 09', 'dist 10', 0, 0, 0, 'data' FROM sledge_numbers, sledge_digits w WHERE w.d IN (1, 2);
INSERT INTO warehouse SELECT d, 300000, 0.1, CONCAT('ware ', d), 's1', 's2', 'city', 'st', '123411111' FROM sledge_digits WHERE d IN (1, 2);
INSERT INTO district SELECT d.d + 1, w_id, 30000, 0.05, 3001, CONCAT('dist ', d.d + 1), 's1', 's2', 'city', 'st', '123411111'
  FROM warehouse, sledge_digits d;
INSERT INTO customer SELECT c.d, d_id, d_w_id, CONCAT('first ', c.d), 'OE', CONCAT('LAST', c.d), 's1', 's2', 'city', 'st', '123411111',
  '0123456789012345', NOW(), 'GC', 50000, 0.2, -10, 10, 1, 0, 'old data' FROM district, sledge_digits c WHERE c.d IN (1, 2, 3);
COMMIT`

// TestRoutines builds one schema and calls its routines as text and as prepared calls.
func TestRoutines(t *testing.T) {
	onEach(t, "sledge_routines", func(t *testing.T, s *server) {
		session := s.connect(t)
		s.script(t, session, "schema", 2)
		mustExec(t, session, fill)
		for range 2 { // as after the resume of an interrupted build
			s.script(t, session, "routines", 2)
		}
		for _, name := range s.library(t).Names("finish.") {
			s.script(t, session, name, 2)
		}
		t.Run("have HammerDB's parameters", func(t *testing.T) { testParameters(t, session) })
		t.Run("are recognized as Sledge's", func(t *testing.T) {
			wantRows(t, session, s.query(t, "installed_routines")+" ORDER BY name",
				"delivery|procedure|sledge|`DELIVERY`|true", "neword|procedure|sledge|`NEWORD`|true", "ostat|procedure|sledge|`OSTAT`|true",
				"payment|procedure|sledge|`PAYMENT`|true", "slev|procedure|sledge|`SLEV`|true")
		})
		for _, prepared := range []string{"false", "true"} {
			s.set("prepared", prepared)
			b := newBench(t, s)
			t.Run("prepared "+prepared, func(t *testing.T) {
				t.Run("pay by number", b.testPayment)
				t.Run("pay by name", b.testPaymentByName)
				t.Run("pay with bad credit", b.testBadCredit)
				t.Run("deliver", b.testDelivery)
				t.Run("count low stock", b.testStockLevel)
				t.Run("enter orders", b.testNewOrder)
				t.Run("draw the same numbers from the same seed", b.testSeed)
				t.Run("show the last order", b.testOrderStatus)
				t.Run("are called by HammerDB", b.testCalledByHammerDB)
				t.Run("change nothing when they fail", b.testFailure)
				t.Run("deliver the next order after a concurrent delivery", b.testTwoDeliveries)
				t.Run("are counted", b.testCounter)
			})
		}
		t.Run("answer as the stand-in does", func(t *testing.T) { testRecording(t, s) })
		t.Run("of HammerDB are called", func(t *testing.T) { testStandIns(t, s) })
		mustExec(t, session, "DROP TABLE sledge_digits, sledge_numbers")
		for range 2 {
			s.script(t, session, "drop", 2)
		}
		wantRows(t, session, s.query(t, "tables"))
		wantRows(t, session, s.query(t, "installed_routines"))
	})
}

func testParameters(t *testing.T, session database.Session) {
	parameters := map[string]string{
		"NEWORD": "IN no_w_id int, IN no_max_w_id int, IN no_d_id int, IN no_c_id int, IN no_o_ol_cnt int, " +
			"OUT no_c_discount decimal(4,4), OUT no_c_last varchar(16), OUT no_c_credit varchar(2), OUT no_d_tax decimal(4,4), " +
			"OUT no_w_tax decimal(4,4), INOUT no_d_next_o_id int, IN timestamp datetime",
		"DELIVERY": "IN d_w_id int, IN d_o_carrier_id int, IN timestamp datetime",
		"PAYMENT": "IN p_w_id int, IN p_d_id int, IN p_c_w_id int, IN p_c_d_id int, INOUT p_c_id int, IN byname int, " +
			"IN p_h_amount decimal(6,2), INOUT p_c_last varchar(16), " +
			"OUT w_street_1 varchar(20), OUT w_street_2 varchar(20), OUT w_city varchar(20), OUT w_state char(2), OUT w_zip char(9), " +
			"OUT d_street_1 varchar(20), OUT d_street_2 varchar(20), OUT d_city varchar(20), OUT d_state char(2), OUT d_zip char(9), " +
			"OUT c_first varchar(16), OUT c_middle char(2), OUT c_street_1 varchar(20), OUT c_street_2 varchar(20), OUT c_city varchar(20), " +
			"OUT c_state char(2), OUT c_zip char(9), OUT c_phone char(16), OUT c_since datetime, INOUT p_c_credit char(2), " +
			"OUT c_credit_lim decimal(12,2), OUT c_discount decimal(4,4), INOUT p_c_balance decimal(12,2), OUT p_c_data varchar(500), IN timestamp datetime",
		"OSTAT": "IN os_w_id int, IN os_d_id int, INOUT os_c_id int, IN byname int, INOUT os_c_last varchar(16), OUT os_c_first varchar(16), " +
			"OUT os_c_middle char(2), OUT os_c_balance decimal(12,2), OUT os_o_id int, OUT os_entdate datetime, OUT os_o_carrier_id int",
		"SLEV": "IN st_w_id int, IN st_d_id int, IN threshold int, OUT stock_count int",
	}
	for routine, want := range parameters {
		got := rows(t, session, "SELECT CONCAT(parameter_mode, ' ', parameter_name, ' ', REPLACE(dtd_identifier, '(11)', '')) "+
			"FROM information_schema.parameters WHERE specific_schema = DATABASE() AND specific_name = '"+routine+"' ORDER BY ordinal_position")
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got\n%s, want\n%s", routine, strings.Join(got, ", "), want)
		}
	}
}

func (b *bench) testPayment(t *testing.T) {
	const state = `SELECT c_balance, c_ytd_payment, c_payment_cnt, c_data, d_ytd, w_ytd, (SELECT COUNT(*) FROM history)
		FROM customer, district, warehouse WHERE c_w_id = 2 AND c_d_id = 5 AND c_id = 3 AND d_w_id = 1 AND d_id = 4 AND w_id = 1`
	mustExec(t, b, `TRUNCATE history; UPDATE customer SET c_balance = -10, c_ytd_payment = 10, c_payment_cnt = 1;
		UPDATE district SET d_ytd = 30000; UPDATE warehouse SET w_ytd = 300000`)
	b.in.WID, b.in.DID, b.in.CWID, b.in.CDID, b.in.CID, b.in.ByName, b.in.LastName = 1, 4, 2, 5, 3, 0, ""
	b.in.Amount = 123456
	b.run(t, "payment")
	if b.out.customer.ID != 3 {
		t.Errorf("got customer %d, want 3", b.out.customer.ID)
	}
	wantRows(t, b, state, "-1244.56|1244.56|2|old data|31234.56|301234.56|1")
	b.in.Amount = 1
	b.run(t, "payment")
	wantRows(t, b, state, "-1244.57|1244.57|3|old data|31234.57|301234.57|2")
	wantRows(t, b, `SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount, h_data, h_date > NOW() - INTERVAL 1 MINUTE FROM history ORDER BY h_amount`,
		"3|5|2|4|1|0.01|ware 1    dist 4|1", "3|5|2|4|1|1234.56|ware 1    dist 4|1")
	b.in.CID = 99
	if _, err := b.calls["payment"].Run(t.Context(), nil); err == nil {
		t.Error("the payment of a missing customer did not fail")
	}
	wantRows(t, b, state, "-1244.57|1244.57|3|old data|31234.57|301234.57|2")
}

func (b *bench) testPaymentByName(t *testing.T) {
	// District 7 of warehouse 1 gets n customers with the name NAMEn. Their numbers are in reverse
	// order of their first names: the k-th by first name is customer n*10 + n - k + 1.
	mustExec(t, b, `INSERT INTO customer SELECT n.d * 10 + k.d, 7, 1, CONCAT('first ', n.d - k.d + 1), 'OE', CONCAT('NAME', n.d), 's1', 's2',
		'city', 'st', '1', '1', NOW(), 'GC', 1, 0.1, -10, 10, 1, 0, '' FROM sledge_digits n, sledge_digits k WHERE n.d BETWEEN 1 AND 4 AND k.d BETWEEN 1 AND n.d`)
	b.in.CWID, b.in.CDID, b.in.ByName = 1, 7, 1
	for _, tt := range []struct {
		name      string
		passed, n int64
		want      int64
	}{
		{"NAME1", 2, 1, 11}, // the only one
		{"NAME2", 2, 2, 22}, // the first of two
		{"NAME3", 2, 3, 32}, // the second of three
		{"NAME4", 2, 4, 43}, // the second of four
	} {
		b.in.LastName, b.in.CID = tt.name, tt.passed
		b.run(t, "payment")
		if b.out.customer.ID != tt.want {
			t.Errorf("%s: got customer %d, want %d", tt.name, b.out.customer.ID, tt.want)
		}
		wantRows(t, b, fmt.Sprintf("SELECT c_payment_cnt FROM customer WHERE c_w_id = 1 AND c_d_id = 7 AND c_id = %d", tt.want), "2")
	}
	mustExec(t, b, "DELETE FROM customer WHERE c_id > 3")
}

func (b *bench) testBadCredit(t *testing.T) {
	mustExec(t, b, "UPDATE customer SET c_credit = 'BC', c_data = REPEAT('x', 490) WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 2")
	b.in.WID, b.in.DID, b.in.CWID, b.in.CDID, b.in.CID, b.in.ByName, b.in.LastName = 1, 4, 1, 1, 2, 0, ""
	b.in.Amount = 1050
	b.run(t, "payment")
	const first = "2 1 1 4 1 10.50|"
	read := "SELECT c_data, LENGTH(c_data) FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 2"
	wantRows(t, b, read, first+strings.Repeat("x", 500-len(first))+"|500")
	b.in.Amount = 7
	b.run(t, "payment")
	const second = "2 1 1 4 1 0.07|"
	wantRows(t, b, read, second+first+strings.Repeat("x", 500-len(first)-len(second))+"|500")
	mustExec(t, b, "UPDATE customer SET c_credit = 'GC', c_data = 'old data'")
}

// enter adds orders from 3001 to last to districts 1, 2 and 4 of warehouse 1. Each has two lines:
// order o has the items o and o + 1, for 1.25 and 2.50.
func (b *bench) enter(t testing.TB, last int) {
	t.Helper()
	mustExec(t, b, fmt.Sprintf(`
TRUNCATE orders; TRUNCATE new_order; TRUNCATE order_line;
UPDATE district SET d_next_o_id = 3001;
UPDATE district SET d_next_o_id = %[1]d + 1 WHERE d_w_id = 1 AND d_id IN (1, 2, 4);
INSERT INTO orders SELECT n, 1, d_id, 1 + n %% 3, NULL, 2, 1, NOW() FROM sledge_numbers, district
  WHERE n BETWEEN 3001 AND %[1]d AND d_w_id = 1 AND d_id IN (1, 2, 4);
INSERT INTO new_order SELECT o_w_id, o_d_id, o_id FROM orders;
INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_amount, ol_supply_w_id, ol_quantity, ol_dist_info)
  SELECT o_id, o_d_id, o_w_id, d, o_id + d - 1, 1.25 * d, 1, 5, 'dist' FROM orders, sledge_digits WHERE d IN (1, 2)`, last))
}

func (b *bench) testDelivery(t *testing.T) {
	b.enter(t, 3003)
	mustExec(t, b, "DELETE FROM new_order WHERE no_d_id = 2 AND no_o_id = 3001; UPDATE customer SET c_balance = -10, c_delivery_cnt = 0")
	b.in.WID, b.in.CarrierID = 1, 7
	b.run(t, "delivery")
	wantRows(t, b, "SELECT no_d_id, MIN(no_o_id), COUNT(*) FROM new_order GROUP BY no_d_id ORDER BY no_d_id", "1|3002|2", "2|3003|1", "4|3002|2")
	wantRows(t, b, "SELECT o_d_id, o_id, o_carrier_id FROM orders WHERE o_carrier_id IS NOT NULL ORDER BY 1, 2", "1|3001|7", "2|3002|7", "4|3001|7")
	wantRows(t, b, "SELECT ol_d_id, ol_o_id, COUNT(*) FROM order_line WHERE ol_delivery_d > NOW() - INTERVAL 1 MINUTE GROUP BY 1, 2 ORDER BY 1, 2",
		"1|3001|2", "2|3002|2", "4|3001|2")
	// Order o belongs to customer 1 + o % 3, and 1.25 + 2.50 - 10 is -6.25.
	wantRows(t, b, "SELECT c_d_id, c_id, c_balance FROM customer WHERE c_delivery_cnt = 1 AND c_w_id = 1 ORDER BY 1, 2", "1|2|-6.25", "2|3|-6.25", "4|2|-6.25")
	wantRows(t, b, "SELECT COUNT(*) FROM customer WHERE c_delivery_cnt = 0 AND c_balance = -10", "57")
	for range 4 { // more deliveries than orders
		b.run(t, "delivery")
	}
	wantRows(t, b, "SELECT COUNT(*) FROM new_order", "0")
	wantRows(t, b, "SELECT SUM(c_balance + 10), SUM(c_delivery_cnt) FROM customer", "30.00|8")
	wantRows(t, b, "SELECT COUNT(*) FROM order_line WHERE ol_delivery_d IS NULL", "2") // the lines of the order that was deleted from new_order above
}

// testTwoDeliveries starts a delivery while another transaction has taken the oldest order of
// district 1. That transaction then commits or rolls back.
func (b *bench) testTwoDeliveries(t *testing.T) {
	for _, tt := range []struct {
		end  string
		want string // the order of district 1 that the delivery gets
	}{
		{"COMMIT", "3002"},
		{"ROLLBACK", "3001"},
	} {
		b.enter(t, 3003)
		other := b.server.connect(t)
		mustExec(t, other, "START TRANSACTION; DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 3001")
		done := make(chan error, 1)
		b.in.WID = 1
		go func() {
			_, err := b.calls["delivery"].Run(t.Context(), nil)
			done <- err
		}()
		b.awaitBlocked(t, other)
		mustExec(t, other, tt.end)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		wantRows(t, b, "SELECT o_id FROM orders WHERE o_d_id = 1 AND o_carrier_id IS NOT NULL", tt.want)
		wantRows(t, b, "SELECT o_id FROM orders WHERE o_d_id = 4 AND o_carrier_id IS NOT NULL", "3001")
	}
}

// awaitBlocked waits until a transaction waits for a lock. The server refreshes its list of
// transactions only if it was not read for a tenth of a second.
func (b *bench) awaitBlocked(t *testing.T, observer database.Session) {
	t.Helper()
	const waiting = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
	for deadline := time.Now().Add(time.Minute); rows(t, observer, waiting)[0] == "0"; time.Sleep(150 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no transaction waits for the lock")
		}
	}
}

func (b *bench) testStockLevel(t *testing.T) {
	// The last 20 of 30 orders count: 3011 to 3030, with the items 3011 to 3031, most of them
	// twice. The stock of item i is 10 + i % 91; 3011 % 91 is 8.
	b.enter(t, 3030)
	mustExec(t, b, "UPDATE stock SET s_quantity = 10 + s_i_id % 91 WHERE s_w_id IN (1, 2) AND s_i_id BETWEEN 3001 AND 3032")
	b.in.WID, b.in.DID = 1, 4
	for threshold, want := range map[int64]int64{18: 0, 19: 1, 20: 2, 100: 21} {
		b.in.Threshold = threshold
		b.run(t, "slev")
		if b.out.stock.Count != want {
			t.Errorf("below %d: got %d items, want %d", threshold, b.out.stock.Count, want)
		}
	}
	mustExec(t, b, "UPDATE stock SET s_quantity = 0 WHERE s_w_id = 2 AND s_i_id = 3031") // in another warehouse
	b.in.Threshold = 18
	b.run(t, "slev")
	if b.out.stock.Count != 0 {
		t.Errorf("got %d items, want 0: the stock of another warehouse does not count", b.out.stock.Count)
	}
}

func (b *bench) testNewOrder(t *testing.T) {
	mustExec(t, b, `TRUNCATE orders; TRUNCATE new_order; TRUNCATE order_line; UPDATE district SET d_next_o_id = 3001;
		UPDATE stock SET s_quantity = 10 + s_i_id % 91, s_ytd = 0, s_order_cnt = 0, s_remote_cnt = 0
		WHERE s_ytd > 0 OR s_quantity <> 10 + s_i_id % 91`)
	b.in.Seed1, b.in.Seed2 = 12345, 67890
	b.run(t, "seed")
	b.in.WID, b.in.MaxWID = 1, 2
	const calls = 400
	entered := 0
	for i := range int64(calls) {
		b.in.DID, b.in.CID, b.in.LineCount = 1+i%10, 1+i%3, 5+i%11
		b.run(t, "neword")
		if b.out.order.ID != 0 {
			entered++
		}
	}
	if rolledBack := calls - entered; rolledBack < 1 || rolledBack > 15 { // the mean is 4
		t.Errorf("%d of %d orders were rolled back, want about 1 %%", rolledBack, calls)
	}
	n := fmt.Sprint(entered)
	const itsLines = " FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id"
	for _, tt := range []struct{ name, query, want string }{
		{"orders are numbered without gaps", "SELECT SUM(d_next_o_id - 3001) FROM district", n},
		{"orders are there", "SELECT COUNT(*) FROM orders WHERE o_id >= 3001 AND o_w_id = 1 AND o_carrier_id IS NULL AND o_entry_d > NOW() - INTERVAL 1 MINUTE", n},
		{"orders are in the queue", "SELECT COUNT(*) FROM new_order JOIN orders ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id", n},
		{"orders have their lines", "SELECT COUNT(*) FROM orders WHERE o_ol_cnt <> (SELECT COUNT(*)" + itsLines + ")", "0"},
		{"lines are numbered from 1", "SELECT COUNT(*) FROM orders WHERE o_ol_cnt <> (SELECT MAX(ol_number)" + itsLines + ") OR 1 <> (SELECT MIN(ol_number)" + itsLines + ")", "0"},
		{"amounts are quantity times price", "SELECT COUNT(*) FROM order_line JOIN item ON i_id = ol_i_id WHERE ol_amount <> ol_quantity * i_price", "0"},
		{"lines know their district's text", "SELECT COUNT(*) FROM order_line WHERE ol_dist_info <> CONCAT('dist ', LPAD(ol_d_id, 2, '0')) OR ol_delivery_d IS NOT NULL", "0"},
		{"items and quantities are in range", "SELECT COUNT(*) FROM order_line WHERE ol_i_id NOT BETWEEN 1 AND 100000 OR ol_quantity NOT BETWEEN 1 AND 10", "0"},
		{"all quantities are drawn", "SELECT COUNT(DISTINCT ol_quantity) FROM order_line", "10"},
		{"about 1 % of lines are remote", "SELECT SUM(ol_supply_w_id = 2) BETWEEN 15 AND 70 FROM order_line", "1"}, // of about 4000
		{"orders with a remote line say so", "SELECT COUNT(*) FROM orders WHERE (o_all_local = 0) <> EXISTS (SELECT 1" + itsLines + " AND ol_supply_w_id <> 1)", "0"},
		{"stock counts what was ordered", "SELECT (SELECT SUM(s_ytd) FROM stock) - (SELECT SUM(ol_quantity) FROM order_line)", "0"},
		{"stock counts orders", "SELECT (SELECT SUM(s_order_cnt) FROM stock) - (SELECT COUNT(*) FROM order_line)", "0"},
		{"stock counts remote orders", "SELECT (SELECT SUM(s_remote_cnt) FROM stock) - (SELECT COUNT(*) FROM order_line WHERE ol_supply_w_id <> ol_w_id)", "0"},
		{"remote orders are counted where the stock is", "SELECT COUNT(*) FROM stock WHERE s_w_id = 1 AND s_remote_cnt > 0", "0"},
		// TPC-C 2.4.2.2: if fewer than 10 would be left, 91 are added.
		{"stock goes down by the rule", `SELECT COUNT(*) FROM stock JOIN order_line ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id
			WHERE s_order_cnt = 1 AND s_quantity <> 10 + s_i_id % 91 - ol_quantity + CASE WHEN 10 + s_i_id % 91 >= ol_quantity + 10 THEN 0 ELSE 91 END`, "0"},
		{"stock was filled up again", "SELECT COUNT(*) > 0 FROM stock WHERE s_order_cnt = 1 AND s_quantity > 10 + s_i_id % 91", "1"},
		{"other stock is as it was", "SELECT COUNT(*) FROM stock WHERE s_order_cnt = 0 AND (s_ytd <> 0 OR s_quantity <> 10 + s_i_id % 91)", "0"},
		// In NURand(8191, 1, 100000), before C is added, the lowest 13 bits are all set in (3/4)^13
		// of all draws, which is 2.4 %. In uniform draws it would be 0.01 %.
		{"items are drawn by NURand", "SELECT AVG(((ol_i_id - 1 - 7911 + 100000) % 100000) & 8191 = 8191) BETWEEN 0.012 AND 0.036 FROM order_line", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantRows(t, b, tt.query, tt.want) })
	}
	b.in.CID = 99
	if _, err := b.calls["neword"].Run(t.Context(), nil); err == nil {
		t.Error("the order of a missing customer did not fail")
	}
	wantRows(t, b, "SELECT SUM(d_next_o_id - 3001) FROM district", n)
}

func (b *bench) testSeed(t *testing.T) {
	draw := func(seed1, seed2 int64) string {
		mustExec(t, b, "TRUNCATE orders; TRUNCATE new_order; TRUNCATE order_line; UPDATE district SET d_next_o_id = 3001")
		b.in.Seed1, b.in.Seed2 = seed1, seed2
		b.run(t, "seed")
		b.in.WID, b.in.DID, b.in.CID, b.in.LineCount = 1, 1, 1, 15
		for range 5 {
			b.run(t, "neword")
		}
		return strings.Join(rows(t, b, "SELECT ol_o_id, ol_number, ol_i_id, ol_quantity FROM order_line ORDER BY 1, 2"), "\n")
	}
	const last = 1<<30 - 1
	first := draw(0, 1)
	if again := draw(0, 1); again != first {
		t.Errorf("got\n%s\nfrom the same seed that first gave\n%s", again, first)
	}
	if other := draw(last-1, last-1); other == first {
		t.Error("another seed gave the same orders")
	}
}

func (b *bench) testOrderStatus(t *testing.T) {
	b.enter(t, 3004)
	mustExec(t, b, "UPDATE customer SET c_balance = -10")
	b.in.WID, b.in.DID, b.in.ByName, b.in.CID, b.in.LastName = 1, 2, 1, 3, "LAST2"
	b.run(t, "ostat")
	// Customer 2 has the orders 3001 and 3004, and customer 1 of district 3 has none.
	const answer = "SELECT @os_c_id, @os_c_last, @os_c_first, @os_c_middle, @os_c_balance, @os_o_id, @os_entdate > NOW() - INTERVAL 1 MINUTE, @os_o_carrier_id"
	wantRows(t, b, answer, "2|LAST2|first 2|OE|-10.00|3004|1|NULL")
	b.in.ByName, b.in.LastName = 0, ""
	b.run(t, "ostat")
	wantRows(t, b, answer, "3|LAST3|first 3|OE|-10.00|3002|1|NULL")
	b.in.DID, b.in.CID = 3, 1
	b.run(t, "ostat")
	wantRows(t, b, answer, "1|LAST1|first 1|OE|-10.00|NULL|NULL|NULL")
}

// testCalledByHammerDB makes HammerDB's calls on a session that never commits, and checks from
// another session that their changes are committed.
func (b *bench) testCalledByHammerDB(t *testing.T) {
	b.enter(t, 3004)
	mustExec(t, b, "TRUNCATE history; UPDATE customer SET c_delivery_cnt = 0")
	hammer := b.server.connect(t)
	mustExec(t, hammer, "SET autocommit = 0")
	stamp := "str_to_date('" + time.Now().UTC().Format("20060102150405") + "', '%Y%m%d%H%i%s')"
	const payment = "@p_w_street_1, @p_w_street_2, @p_w_city, @p_w_state, @p_w_zip, @p_d_street_1, @p_d_street_2, @p_d_city, @p_d_state, @p_d_zip, " +
		"@p_c_first, @p_c_middle, @p_c_street_1, @p_c_street_2, @p_c_city, @p_c_state, @p_c_zip, @p_c_phone, @p_c_since, "
	calls := func(t *testing.T, each []string, orders, delivered int) {
		for _, statement := range each {
			mustExec(t, hammer, statement)
		}
		wantRows(t, hammer, "SELECT @disc, @last, @credit, @dtax, @wtax", "0.2000|LAST3|GC|0.0500|0.1000")
		wantRows(t, hammer, "SELECT @stock_count >= 0, @os_c_last, @p_c_last, @p_w_city", "1|LAST2|LAST2|city")
		wantRows(t, b, "SELECT d_next_o_id - 3005 FROM district WHERE d_w_id = 1 AND d_id = 4", fmt.Sprint(orders))
		wantRows(t, b, "SELECT COUNT(*), MIN(h_amount) FROM history WHERE h_c_id = 2", fmt.Sprintf("%d|17.50", orders))
		wantRows(t, b, "SELECT COUNT(*) FROM orders WHERE o_carrier_id = 5", fmt.Sprint(delivered))
	}
	// With this seed neither order rolls back.
	b.in.Seed1, b.in.Seed2 = 12345, 67890
	mustExec(t, hammer, "SET rand_seed1 = 12345, rand_seed2 = 67890")
	t.Run("as text", func(t *testing.T) {
		calls(t, []string{
			"SET @next_o_id = 0",
			"CALL NEWORD(1, 2, 4, 3, 10, @disc, @last, @credit, @dtax, @wtax, @next_o_id, " + stamp + ")",
			"SET @p_c_id = 1, @p_c_last = 'LAST2', @p_c_credit = 0, @p_c_balance = 0",
			"CALL PAYMENT(1, 4, 1, 4, @p_c_id, 1, 17.50, @p_c_last, " + payment + "@p_c_credit, @p_c_credit_lim, @p_c_discount, @p_c_balance, @p_c_data, " + stamp + ")",
			"CALL DELIVERY(1, 5, " + stamp + ")",
			"CALL SLEV(1, 4, 15, @stock_count)",
			"SET @os_c_id = 1, @os_c_last = 'LAST2'",
			"CALL OSTAT(1, 4, @os_c_id, 1, @os_c_last, @os_c_first, @os_c_middle, @os_c_balance, @os_o_id, @os_entdate, @os_o_carrier_id)",
		}, 1, 3)
		wantRows(t, hammer, "SELECT @next_o_id, @p_c_id, @os_c_id", "3005|2|2")
	})
	t.Run("prepared", func(t *testing.T) {
		calls(t, []string{
			"PREPARE neword_st FROM 'CALL NEWORD(?, ?, ?, ?, ?, @disc, @last, @credit, @dtax, @wtax, ?, ?)'",
			"PREPARE payment_st FROM 'CALL PAYMENT(?, ?, ?, ?, ?, ?, ?, ?, " + payment + "?, @p_c_credit_lim, @p_c_discount, ?, @p_c_data, ?)'",
			"PREPARE delivery_st FROM 'CALL DELIVERY(?, ?, ?)'",
			"PREPARE slev_st FROM 'CALL SLEV(?, ?, ?, @stock_count)'",
			"PREPARE ostat_st FROM 'CALL OSTAT(?, ?, ?, ?, ?, @os_c_first, @os_c_middle, @os_c_balance, @os_o_id, @os_entdate, @os_o_carrier_id)'",
			"SET @a = 1, @b = 2, @c = 4, @d = 3, @e = 10, @zero = 0, @carrier = 5, @amount = 17.50, @name = 'LAST2', @threshold = 15, @stamp = " + stamp,
			"EXECUTE neword_st USING @a, @b, @c, @d, @e, @zero, @stamp",
			"SET @zero = 0",
			"EXECUTE payment_st USING @a, @c, @a, @c, @a, @a, @amount, @name, @zero, @zero, @stamp",
			"SET @a = 1, @zero = 0, @name = 'LAST2'",
			"EXECUTE delivery_st USING @a, @carrier, @stamp",
			"EXECUTE slev_st USING @a, @c, @threshold",
			"EXECUTE ostat_st USING @a, @c, @a, @a, @name",
			"DEALLOCATE PREPARE neword_st; DEALLOCATE PREPARE payment_st; DEALLOCATE PREPARE delivery_st; DEALLOCATE PREPARE slev_st; DEALLOCATE PREPARE ostat_st",
		}, 2, 6)
	})
}

// testFailure holds the lock that PAYMENT needs last.
func (b *bench) testFailure(t *testing.T) {
	mustExec(t, b, "UPDATE customer SET c_balance = -10; SET innodb_lock_wait_timeout = 1")
	holder := b.server.connect(t)
	mustExec(t, holder, "START TRANSACTION; UPDATE warehouse SET w_ytd = w_ytd WHERE w_id = 1")
	b.in.WID, b.in.DID, b.in.CWID, b.in.CDID, b.in.CID, b.in.ByName = 1, 4, 1, 5, 3, 0
	_, err := b.calls["payment"].Run(t.Context(), nil)
	if class := b.server.database.Sessions.Classify(err); class != meter.LockTimeout {
		t.Errorf("got %v, class %v; want class %v", err, class, meter.LockTimeout)
	}
	// The session stays usable, and its next transaction commits nothing of the payment.
	mustExec(t, b, "START TRANSACTION; COMMIT")
	wantRows(t, holder, "SELECT c_balance FROM customer WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 3", "-10.00")
	if err := b.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	mustExec(t, holder, "ROLLBACK")
	mustExec(t, b, "SET innodb_lock_wait_timeout = DEFAULT")
	b.run(t, "payment")
	wantRows(t, b, "SELECT c_balance < -10 FROM customer WHERE c_w_id = 1 AND c_d_id = 5 AND c_id = 3", "1")
}

func (b *bench) testCounter(t *testing.T) {
	read := func() (n int) {
		got := rows(t, b, b.server.query(t, "counter"))
		for _, row := range got {
			var one int
			if _, err := fmt.Sscan(row[strings.LastIndex(row, "|")+1:], &one); err != nil {
				t.Fatalf("got %q: %v", got, err)
			}
			n += one
		}
		return n
	}
	b.in.WID, b.in.DID, b.in.CWID, b.in.CDID, b.in.CID, b.in.ByName = 1, 4, 1, 5, 3, 0
	before := read()
	const calls = 20
	for range calls {
		b.run(t, "payment")
		b.run(t, "slev")
	}
	// The server also has sessions of other tests. If one of them ends while the server adds up the
	// counts of all sessions, it may be counted twice or not at all.
	if moved := read() - before; moved < 2*calls-2 || moved > 3*calls {
		t.Errorf("the counter moved by %d, want %d", moved, 2*calls)
	}
}

// testStandIns calls procedures with the parameters of HammerDB's, as in a schema that HammerDB
// built.
func testStandIns(t *testing.T, s *server) {
	session := s.connect(t)
	const names = "a1 VARCHAR(20), OUT a2 VARCHAR(20), OUT a3 VARCHAR(20), OUT a4 CHAR(2), OUT a5 CHAR(9), OUT a6 VARCHAR(20), OUT a7 VARCHAR(20), " +
		"OUT a8 VARCHAR(20), OUT a9 CHAR(2), OUT a10 CHAR(9), OUT a11 VARCHAR(16), OUT a12 CHAR(2), OUT a13 VARCHAR(20), OUT a14 VARCHAR(20), " +
		"OUT a15 VARCHAR(20), OUT a16 CHAR(2), OUT a17 CHAR(9), OUT a18 CHAR(16)"
	for _, statement := range []string{
		"DROP PROCEDURE NEWORD", "DROP PROCEDURE PAYMENT", "DROP PROCEDURE DELIVERY", "DROP PROCEDURE SLEV", "DROP PROCEDURE OSTAT",
		"CREATE PROCEDURE NEWORD(w INT, max_w INT, d INT, c INT, n INT, OUT discount DECIMAL(4,4), OUT last VARCHAR(16), OUT credit VARCHAR(2), " +
			"OUT dtax DECIMAL(4,4), OUT wtax DECIMAL(4,4), INOUT next_o_id INT, stamp DATETIME) BEGIN START TRANSACTION; SET next_o_id = 3001; COMMIT; END",
		"CREATE PROCEDURE PAYMENT(w INT, d INT, cw INT, cd INT, INOUT c INT, byname INT, amount DECIMAL(6,2), INOUT last VARCHAR(16), OUT " + names +
			", OUT since DATETIME, INOUT credit CHAR(2), OUT lim DECIMAL(12,2), OUT discount DECIMAL(4,4), INOUT balance DECIMAL(12,2), OUT cdata VARCHAR(500), " +
			"stamp DATETIME) BEGIN IF byname = 1 AND amount = 1234.56 AND last = 'NAME' THEN SET c = 77; END IF; END",
		"CREATE PROCEDURE DELIVERY(w INT, carrier INT, stamp DATETIME) BEGIN END",
		"CREATE PROCEDURE SLEV(w INT, d INT, threshold INT, OUT n INT) BEGIN SET n = 42; END",
		"CREATE PROCEDURE OSTAT(w INT, d INT, INOUT c INT, byname INT, INOUT last VARCHAR(16), OUT first VARCHAR(16), OUT middle CHAR(2), " +
			"OUT balance DECIMAL(12,2), OUT o INT, OUT entdate DATETIME, OUT carrier INT) BEGIN END",
	} {
		mustExec(t, session, statement)
	}
	wantRows(t, session, s.query(t, "installed_routines")+" ORDER BY name",
		"delivery|procedure|other|`DELIVERY`|true", "neword|procedure|other|`NEWORD`|true", "ostat|procedure|other|`OSTAT`|true",
		"payment|procedure|other|`PAYMENT`|true", "slev|procedure|other|`SLEV`|true")
	for _, prepared := range []string{"false", "true"} {
		s.set("prepared", prepared)
		b := newBench(t, s)
		b.in.Amount, b.in.LastName, b.in.ByName = 123456, "NAME", 1
		for _, name := range []string{"neword", "payment", "delivery", "slev", "ostat"} {
			b.run(t, name)
		}
		if b.out.order.ID == 0 || b.out.customer.ID != 77 || b.out.stock.Count != 42 {
			t.Errorf("prepared %s: got %+v, want an order, customer 77 and 42 items", prepared, b.out)
		}
	}
}
