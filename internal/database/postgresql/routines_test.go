package postgresql_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// plan has the fields of the engine's plan that the scripts use.
type plan struct {
	Tables, Routines []string
	Connection       any
	Settings         struct{ Warehouses int }
}

// call holds the inputs and outputs of the routines, with the workload's tags.
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
	in    call
	calls map[string]database.Statement
	out   struct {
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

// runScript runs a script of TPROC-C, in all its parts if it is divided by table.
func runScript(t testing.TB, session database.Session, name string, values option.Values, warehouses int) {
	t.Helper()
	p := plan{Connection: bind(t, values)}
	p.Settings.Warehouses = warehouses
	l := library(t)
	if name == "drop" || name == "routines" { // a build drops existing routines before it creates its own
		for _, row := range rows(t, session, l.Text("installed_routines")) {
			p.Routines = append(p.Routines, strings.Split(row, "|")[3])
		}
	}
	if name == "drop" {
		p.Tables = slices.Compact(firstWords(tableRows(t, session)))
	}
	if name == "routines" {
		drop, err := l.Script("drop", p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range drop {
			if err := session.Exec(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range append([]string{name}, l.Names(name+".")...) {
		statements, err := l.Script(name, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range statements {
			if err := session.Exec(t.Context(), s); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, s)
			}
		}
	}
}

// newSchema creates the tables and their keys in a new database.
func newSchema(t testing.TB, name string) (database.Session, option.Values) {
	t.Helper()
	values := with(testserver.Open(t, "postgresql").Values(), "dbname", name)
	session := connect(t, values, database.Owner)
	runScript(t, session, "drop", values, 1)
	runScript(t, session, "schema", values, 1)
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if _, err := postgresql.Database.Container.Drop(context.Background(), bind(t, values), database.DropOptions{}); err != nil {
			t.Error(err)
		}
	})
	return session, values
}

// fill creates two warehouses with all items and stock, their districts, and three customers in
// each district. The stock of item i is 10 + i % 91.
const fill = `
INSERT INTO item SELECT i, 1, 'item', i % 100 + 1.25, 'data' FROM generate_series(1, 100000) i;
INSERT INTO stock SELECT i, w, 10 + i % 91, 'dist 01', 'dist 02', 'dist 03', 'dist 04', 'dist 05', 'dist 06', 'dist 07',
  'dist 08', 'dist 09', 'dist 10', 0, 0, 0, 'data' FROM generate_series(1, 2) w, generate_series(1, 100000) i;
INSERT INTO warehouse SELECT w, 300000, 0.1, 'ware ' || w, 's1', 's2', 'city', 'st', '123411111' FROM generate_series(1, 2) w;
INSERT INTO district SELECT d, w, 30000, 0.05, 3001, 'dist ' || d, 's1', 's2', 'city', 'st', '123411111'
FROM generate_series(1, 2) w, generate_series(1, 10) d;
INSERT INTO customer SELECT c, d, w, 'first ' || c, 'LAST' || c, 'OE', 's1', 's2', 'city', 'st', '123411111', '0123456789012345',
  now(), 'GC', 50000, 0.2, -10, 10, 1, 0, 'old data'
FROM generate_series(1, 2) w, generate_series(1, 10) d, generate_series(1, 3) c;
`

// TestRoutines builds one schema, and tests functions and then procedures in it.
func TestRoutines(t *testing.T) {
	session, values := newSchema(t, "sledge_routines")
	if err := session.Exec(t.Context(), fill); err != nil {
		t.Fatal(err)
	}
	for range 2 { // as after the resume of an interrupted build
		runScript(t, session, "indexes", values, 2)
	}
	runScript(t, session, "finish", values, 2)
	for _, kind := range []string{"function", "procedure"} {
		t.Run(kind+"s", func(t *testing.T) {
			values := with(values, "stored_procedures", fmt.Sprint(kind == "procedure"))
			for range 2 {
				runScript(t, session, "routines", values, 2)
			}
			b := newBench(t, values, kind)
			t.Run("have HammerDB's signatures", func(t *testing.T) { testSignatures(t, b, kind) })
			t.Run("are recognized as Sledge's", func(t *testing.T) {
				for _, row := range rows(t, b, library(t).Text("installed_routines")) {
					if fields := strings.Split(row, "|"); fields[1] != kind || fields[2] != "sledge" || fields[4] != "true" {
						t.Errorf("got %s, want a %s of Sledge", row, kind)
					}
				}
			})
			t.Run("pay by number", b.testPayment)
			t.Run("pay by name", b.testPaymentByName)
			t.Run("pay with bad credit", b.testBadCredit)
			t.Run("deliver", b.testDelivery)
			t.Run("count low stock", b.testStockLevel)
			t.Run("enter orders", b.testNewOrder)
			t.Run("draw the same numbers from the same seed", b.testSeed)
			t.Run("show the last order", func(t *testing.T) { b.testOrderStatus(t, kind) })
			t.Run("are called by HammerDB", func(t *testing.T) { testCalledByHammerDB(t, b, kind) })
		})
	}
	t.Run("functions replace procedures", func(t *testing.T) {
		runScript(t, session, "routines", with(values, "stored_procedures", "false"), 2)
		testSignatures(t, session, "function")
	})
	t.Run("have the columns of the stand-in's answers", func(t *testing.T) { testStandInsColumns(t, values) })
	t.Run("of HammerDB are called", func(t *testing.T) { testStandIns(t, session, values) })
	for range 2 {
		runScript(t, session, "drop", values, 2)
	}
	wantRows(t, session, library(t).Text("tables"))
	wantRows(t, session, library(t).Text("installed_routines"))
}

func newBench(t testing.TB, values option.Values, kind string) *bench {
	t.Helper()
	b := &bench{Session: connect(t, values, database.Owner), calls: map[string]database.Statement{}}
	b.in = call{WID: 1, MaxWID: 2, DID: 1, CID: 1, CWID: 1, CDID: 1, LineCount: 10, Amount: 100, CarrierID: 1, Threshold: 10}
	for name, out := range map[string]any{
		"neword": &b.out.order, "payment": &b.out.customer, "slev": &b.out.stock, "delivery": nil, "ostat": nil,
	} {
		b.calls[name] = b.prepare(t, kind+"."+name, out)
	}
	b.calls["seed"] = b.prepare(t, "seed_session", nil)
	return b
}

func (b *bench) prepare(t testing.TB, name string, out any) database.Statement {
	t.Helper()
	q, err := library(t).Query(name)
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
		t.Fatal(err)
	}
}

func (b *bench) exec(t testing.TB, statements string) {
	t.Helper()
	if err := b.Exec(t.Context(), statements); err != nil {
		t.Fatalf("%v\n%s", err, statements)
	}
}

func testSignatures(t *testing.T, session database.Session, kind string) {
	want := []string{
		"dbms_random(integer, integer) integer",
		"delivery(integer, integer) integer",
		"neword(integer, integer, integer, integer, integer, integer) numeric",
		"ostat(integer, integer, integer, integer, character varying) SETOF record",
		"payment(integer, integer, integer, integer, integer, integer, numeric, character varying, character varying, numeric) integer",
		"slev(integer, integer, integer) integer",
	}
	query := `SELECT proname || '(' || oidvectortypes(proargtypes) || ') ' || pg_get_function_result(oid)`
	if kind == "procedure" {
		var address []string
		for _, name := range strings.Fields("w_street_1 w_street_2 w_city w_state w_zip d_street_1 d_street_2 d_city d_state d_zip " +
			"c_first c_middle c_street_1 c_street_2 c_city c_state c_zip c_phone") {
			address = append(address, "INOUT "+name+" character varying")
		}
		want = []string{
			"delivery(IN d_w_id integer, IN d_o_carrier_id integer, IN tstamp timestamp without time zone)",
			"neword(IN no_w_id integer, IN no_max_w_id integer, IN no_d_id integer, IN no_c_id integer, IN no_o_ol_cnt integer, " +
				"INOUT no_c_discount numeric, INOUT no_c_last character varying, INOUT no_c_credit character varying, " +
				"INOUT no_d_tax numeric, INOUT no_w_tax numeric, INOUT no_d_next_o_id integer, IN tstamp timestamp without time zone)",
			"ostat(IN os_w_id integer, IN os_d_id integer, INOUT os_c_id integer, IN byname integer, INOUT os_c_last character varying, " +
				"INOUT os_c_first character varying, INOUT os_c_middle character varying, INOUT os_c_balance numeric, INOUT os_o_id integer, " +
				"INOUT os_entdate timestamp without time zone, INOUT os_o_carrier_id integer, INOUT os_c_line text DEFAULT ''::text)",
			"payment(IN p_w_id integer, IN p_d_id integer, IN p_c_w_id integer, IN p_c_d_id integer, IN byname integer, IN p_h_amount numeric, " +
				"INOUT p_c_credit character, INOUT p_c_last character varying, INOUT p_c_id integer, " + strings.Join(address, ", ") +
				", INOUT c_since timestamp without time zone, INOUT c_credit_lim numeric, INOUT c_discount numeric, INOUT c_balance numeric, " +
				"INOUT c_data character varying, IN tstamp timestamp without time zone)",
			"slev(IN st_w_id integer, IN st_d_id integer, IN threshold integer, INOUT stock_count integer)",
		}
		query = `SELECT proname || '(' || pg_get_function_arguments(oid) || ')'`
	}
	wantRows(t, session, query+` FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`, want...)
}

func (b *bench) testPayment(t *testing.T) {
	const state = `SELECT c_balance, c_ytd_payment, c_payment_cnt, c_data, d_ytd, w_ytd, (SELECT count(*) FROM history)
		FROM customer, district, warehouse WHERE c_w_id = 2 AND c_d_id = 5 AND c_id = 3 AND d_w_id = 1 AND d_id = 4 AND w_id = 1`
	b.exec(t, `TRUNCATE history; UPDATE customer SET c_balance = -10, c_ytd_payment = 10, c_payment_cnt = 1;
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
	wantRows(t, b, `SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount, h_data, now() - h_date < '1 min' FROM history ORDER BY h_amount`,
		"3|5|2|4|1|0.01|ware 1    dist 4|t", "3|5|2|4|1|1234.56|ware 1    dist 4|t")
	b.in.CID = 99
	if _, err := b.calls["payment"].Run(t.Context(), nil); err == nil {
		t.Error("the payment of a missing customer did not fail")
	}
	wantRows(t, b, state, "-1244.57|1244.57|3|old data|31234.57|301234.57|2")
}

func (b *bench) testPaymentByName(t *testing.T) {
	// District 7 of warehouse 1 gets n customers with the name NAMEn. Their numbers are in reverse
	// order of their first names: the k-th by first name is customer n*10 + n - k + 1.
	b.exec(t, `DELETE FROM customer WHERE c_id > 3; INSERT INTO customer
		SELECT n * 10 + k, 7, 1, 'first ' || n - k + 1, 'NAME' || n, 'OE', 's1', 's2', 'city', 'st', '1', '1', now(), 'GC', 1, 0.1, -10, 10, 1, 0, ''
		FROM generate_series(1, 4) n, generate_series(1, n) k`)
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
		{"$8", 2, 0, 2},     // no customer has this name: HammerDB passes it together with a number
	} {
		b.in.LastName, b.in.CID = tt.name, tt.passed
		b.run(t, "payment")
		if b.out.customer.ID != tt.want {
			t.Errorf("%s: got customer %d, want %d", tt.name, b.out.customer.ID, tt.want)
		}
		wantRows(t, b, fmt.Sprintf("SELECT c_payment_cnt FROM customer WHERE c_w_id = 1 AND c_d_id = 7 AND c_id = %d", tt.want), "2")
	}
	b.exec(t, "DELETE FROM customer WHERE c_id > 3")
}

func (b *bench) testBadCredit(t *testing.T) {
	b.exec(t, "UPDATE customer SET c_credit = 'BC', c_data = repeat('x', 490) WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 2")
	b.in.WID, b.in.DID, b.in.CWID, b.in.CDID, b.in.CID, b.in.ByName, b.in.LastName = 1, 4, 1, 1, 2, 0, ""
	b.in.Amount = 1050
	b.run(t, "payment")
	const first = "2 1 1 4 1 10.50|"
	read := "SELECT c_data, length(c_data) FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 2"
	wantRows(t, b, read, first+strings.Repeat("x", 500-len(first))+"|500")
	b.in.Amount = 7
	b.run(t, "payment")
	const second = "2 1 1 4 1 0.07|"
	wantRows(t, b, read, second+first+strings.Repeat("x", 500-len(first)-len(second))+"|500")
	b.exec(t, "UPDATE customer SET c_credit = 'GC', c_data = 'old data'")
}

// orders adds orders from 3001 on to districts 1, 2 and 4 of warehouse 1. Each has two lines: order
// o has the items o and o + 1, for 1.25 and 2.50.
const orders = `
TRUNCATE orders, new_order, order_line;
UPDATE district SET d_next_o_id = 3001;
INSERT INTO orders SELECT o, 1, d, 1 + o %% 3, NULL, 2, 1, now() FROM generate_series(3001, %[1]d) o, unnest(ARRAY[1, 2, 4]) d;
INSERT INTO new_order SELECT 1, d, o FROM generate_series(3001, %[1]d) o, unnest(ARRAY[1, 2, 4]) d;
INSERT INTO order_line SELECT o, d, 1, n, o + n - 1, NULL, 1.25 * n, 1, 5, 'dist' FROM generate_series(3001, %[1]d) o, unnest(ARRAY[1, 2, 4]) d, generate_series(1, 2) n;
UPDATE district SET d_next_o_id = %[1]d + 1 WHERE d_w_id = 1 AND d_id IN (1, 2, 4);
`

func (b *bench) testDelivery(t *testing.T) {
	b.exec(t, fmt.Sprintf(orders, 3003)+"DELETE FROM new_order WHERE no_d_id = 2 AND no_o_id = 3001; UPDATE customer SET c_balance = -10, c_delivery_cnt = 0")
	b.in.WID, b.in.CarrierID = 1, 7
	b.run(t, "delivery")
	wantRows(t, b, "SELECT no_d_id, min(no_o_id), count(*) FROM new_order GROUP BY no_d_id ORDER BY no_d_id", "1|3002|2", "2|3003|1", "4|3002|2")
	wantRows(t, b, "SELECT o_d_id, o_id, o_carrier_id FROM orders WHERE o_carrier_id IS NOT NULL ORDER BY 1, 2", "1|3001|7", "2|3002|7", "4|3001|7")
	wantRows(t, b, "SELECT ol_d_id, ol_o_id, count(*) FROM order_line WHERE ol_delivery_d > now() - interval '1 min' GROUP BY 1, 2 ORDER BY 1, 2",
		"1|3001|2", "2|3002|2", "4|3001|2")
	// Order o belongs to customer 1 + o % 3, and 1.25 + 2.50 - 10 is -6.25.
	wantRows(t, b, "SELECT c_d_id, c_id, c_balance FROM customer WHERE c_delivery_cnt = 1 AND c_w_id = 1 ORDER BY 1, 2", "1|2|-6.25", "2|3|-6.25", "4|2|-6.25")
	wantRows(t, b, "SELECT count(*) FROM customer WHERE c_delivery_cnt = 0 AND c_balance = -10", "57")
	for range 4 { // more deliveries than orders
		b.run(t, "delivery")
	}
	wantRows(t, b, "SELECT count(*) FROM new_order", "0")
	wantRows(t, b, "SELECT sum(c_balance + 10), sum(c_delivery_cnt) FROM customer", "30.00|8")
	wantRows(t, b, "SELECT count(*) FROM order_line WHERE ol_delivery_d IS NULL", "2") // the lines of the order that was deleted from new_order above
}

func (b *bench) testStockLevel(t *testing.T) {
	// The last 20 of 30 orders count: 3011 to 3030, with the items 3011 to 3031, most of them
	// twice. The stock of item i is 10 + i % 91; 3011 % 91 is 8.
	b.exec(t, fmt.Sprintf(orders, 3030)+"UPDATE stock SET s_quantity = 10 + s_i_id % 91 WHERE s_i_id BETWEEN 3001 AND 3032")
	b.in.WID, b.in.DID = 1, 4
	for threshold, want := range map[int64]int64{18: 0, 19: 1, 20: 2, 100: 21} {
		b.in.Threshold = threshold
		b.run(t, "slev")
		if b.out.stock.Count != want {
			t.Errorf("below %d: got %d items, want %d", threshold, b.out.stock.Count, want)
		}
	}
	b.exec(t, "UPDATE stock SET s_quantity = 0 WHERE s_w_id = 2 AND s_i_id = 3031") // in another warehouse
	b.in.Threshold = 18
	b.run(t, "slev")
	if b.out.stock.Count != 0 {
		t.Errorf("got %d items, want 0: the stock of another warehouse does not count", b.out.stock.Count)
	}
}

func (b *bench) testNewOrder(t *testing.T) {
	b.exec(t, `TRUNCATE orders, new_order, order_line; UPDATE district SET d_next_o_id = 3001;
		UPDATE stock SET s_quantity = 10 + s_i_id % 91, s_ytd = 0, s_order_cnt = 0, s_remote_cnt = 0
		WHERE s_ytd > 0 OR s_quantity <> 10 + s_i_id % 91`)
	b.in.Seed1, b.in.Seed2 = 7, 5
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
	for _, tt := range []struct{ name, query, want string }{
		{"orders are numbered without gaps", "SELECT sum(d_next_o_id - 3001) FROM district", n},
		{"orders are there", "SELECT count(*) FROM orders WHERE o_id >= 3001 AND o_w_id = 1 AND o_carrier_id IS NULL AND now() - o_entry_d < '1 min'", n},
		{"orders are in the queue", "SELECT count(*) FROM new_order JOIN orders ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id", n},
		{"orders have their lines", "SELECT count(*) FROM orders WHERE o_ol_cnt <> (SELECT count(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)", "0"},
		{"lines are numbered from 1", "SELECT count(*) FROM orders WHERE o_ol_cnt <> (SELECT max(ol_number) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)", "0"},
		{"amounts are quantity times price", "SELECT count(*) FROM order_line JOIN item ON i_id = ol_i_id WHERE ol_amount <> ol_quantity * i_price", "0"},
		{"lines know their district's text", "SELECT count(*) FROM order_line WHERE ol_dist_info <> 'dist ' || to_char(ol_d_id, 'FM00') OR ol_delivery_d IS NOT NULL", "0"},
		{"items and quantities are in range", "SELECT count(*) FROM order_line WHERE ol_i_id NOT BETWEEN 1 AND 100000 OR ol_quantity NOT BETWEEN 1 AND 10", "0"},
		{"all quantities are drawn", "SELECT count(DISTINCT ol_quantity) FROM order_line", "10"},
		{"about 1 % of lines are remote", "SELECT count(*) FILTER (WHERE ol_supply_w_id = 2) BETWEEN 15 AND 70 FROM order_line", "t"}, // of about 4000
		{"orders with a remote line say so", "SELECT count(*) FROM orders WHERE (o_all_local = 0) <> EXISTS (SELECT FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id AND ol_supply_w_id <> 1)", "0"},
		{"stock counts what was ordered", "SELECT (SELECT sum(s_ytd) FROM stock) - (SELECT sum(ol_quantity) FROM order_line)", "0"},
		{"stock counts orders", "SELECT (SELECT sum(s_order_cnt) FROM stock) - (SELECT count(*) FROM order_line)", "0"},
		{"stock counts remote orders", "SELECT (SELECT sum(s_remote_cnt) FROM stock) - (SELECT count(*) FROM order_line WHERE ol_supply_w_id <> ol_w_id)", "0"},
		{"remote orders are counted where the stock is", "SELECT count(*) FROM stock WHERE s_w_id = 1 AND s_remote_cnt > 0", "0"},
		// TPC-C 2.4.2.2: if fewer than 10 would be left, 91 are added.
		{"stock goes down by the rule", `SELECT count(*) FROM stock JOIN order_line ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id
			WHERE s_order_cnt = 1 AND s_quantity <> 10 + s_i_id % 91 - ol_quantity + CASE WHEN 10 + s_i_id % 91 >= ol_quantity + 10 THEN 0 ELSE 91 END`, "0"},
		{"stock was filled up again", "SELECT count(*) > 0 FROM stock WHERE s_order_cnt = 1 AND s_quantity > 10 + s_i_id % 91", "t"},
		{"other stock is as it was", "SELECT count(*) FROM stock WHERE s_order_cnt = 0 AND (s_ytd <> 0 OR s_quantity <> 10 + s_i_id % 91)", "0"},
		// In NURand(8191, 1, 100000), before C is added, the lowest 13 bits are all set in (3/4)^13
		// of all draws, which is 2.4 %. In uniform draws it would be 0.01 %.
		{"items are drawn by NURand", `SELECT avg(((((ol_i_id - 1 - 7911 + 100000) % 100000) & 8191) = 8191)::integer) BETWEEN 0.012 AND 0.036 FROM order_line`, "t"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantRows(t, b, tt.query, tt.want) })
	}
	b.in.CID = 99
	if _, err := b.calls["neword"].Run(t.Context(), nil); err == nil {
		t.Error("the order of a missing customer did not fail")
	}
	wantRows(t, b, "SELECT sum(d_next_o_id - 3001) FROM district", n)
}

func (b *bench) testSeed(t *testing.T) {
	draw := func(seed1, seed2 int64) string {
		b.exec(t, "TRUNCATE orders, new_order, order_line; UPDATE district SET d_next_o_id = 3001")
		b.in.Seed1, b.in.Seed2 = seed1, seed2
		b.run(t, "seed")
		b.in.WID, b.in.DID, b.in.CID, b.in.LineCount = 1, 1, 1, 15
		for range 5 {
			b.run(t, "neword")
		}
		return strings.Join(rows(t, b, "SELECT ol_o_id, ol_number, ol_i_id, ol_quantity FROM order_line ORDER BY 1, 2"), "\n")
	}
	const last = 1<<30 - 1
	first := draw(0, 0)
	if again := draw(0, 0); again != first {
		t.Errorf("got\n%s\nfrom the same seed that first gave\n%s", again, first)
	}
	if other := draw(last, last); other == first {
		t.Error("another seed gave the same orders")
	}
}

func (b *bench) testOrderStatus(t *testing.T, kind string) {
	b.exec(t, fmt.Sprintf(orders, 3004)+"UPDATE customer SET c_balance = -10")
	b.in.WID, b.in.DID, b.in.ByName, b.in.CID, b.in.LastName = 1, 2, 1, 3, "LAST2"
	b.run(t, "ostat")
	// Customer 2 has the orders 3001 and 3004, and customer 1 of district 3 has none.
	if kind == "function" {
		const columns = ` AS (ol_i_id integer, ol_supply_w_id integer, ol_quantity smallint, ol_amount numeric, ol_delivery_d timestamptz,
			out_os_c_id integer, out_os_c_last varchar, os_c_first varchar, os_c_middle varchar, os_c_balance numeric,
			os_o_id integer, os_entdate timestamp, os_o_carrier_id integer)`
		wantRows(t, b, "SELECT ol_i_id, ol_amount, os_c_first, os_c_balance, os_o_id, os_o_carrier_id FROM ostat(1, 2, 3, 1, 'LAST2')"+columns+" ORDER BY 1",
			"3004|1.25|first 2|-10.00|3004|NULL", "3005|2.50|first 2|-10.00|3004|NULL")
		wantRows(t, b, "SELECT os_c_first FROM ostat(1, 2, 3, 0, '')"+columns, "first 3", "first 3")
		wantRows(t, b, "SELECT * FROM ostat(1, 3, 1, 0, '')"+columns)
		return
	}
	answer := rows(t, b, "CALL ostat(1, 2, 3, 1, 'LAST2', '', '', 0.0, 0, NULL, 0, '')")[0]
	if want := "2|LAST2|first 2|OE|-10.00|3004|"; !strings.HasPrefix(answer, want) || !strings.HasSuffix(answer, "|NULL|,3004,1,5,1.25,,3005,1,5,2.50,") {
		t.Errorf("got %q, want %s and the two lines", answer, want)
	}
	wantRows(t, b, "CALL ostat(1, 3, 1, 0, '', '', '', 0.0, 0, NULL, 0, '')", "1|LAST1|first 1|OE|-10.00|NULL|NULL|NULL|")
}

// testCalledByHammerDB calls the routines with the statements that HammerDB's
// driver prepares as text, or with its CALLs.
func testCalledByHammerDB(t *testing.T, b *bench, kind string) {
	b.exec(t, fmt.Sprintf(orders, 3004))
	stamp := time.Now().UTC().Format("20060102150405")
	if kind == "procedure" {
		to := "to_timestamp('" + stamp + "', 'YYYYMMDDHH24MISS')::timestamp without time zone"
		for _, statement := range []string{
			"CALL neword(1, 2, 4, 3, 10, 0.0, '', '', 0.0, 0.0, 0, " + to + ")",
			"CALL payment(1, 4, 1, 4, 1, 17.50, '0', 'LAST2', 1, " + strings.Repeat("'', ", 18) + "NULL, 0.0, 0.0, 0.0, '', " + to + ")",
			"CALL ostat(1, 4, 1, 1, 'LAST2', '', '', 0.0, 0, NULL, 0, '')",
			"CALL slev(1, 4, 15, 0)",
		} {
			if got := rows(t, b, statement); len(got) != 1 {
				t.Errorf("%s: got %d rows, want the output parameters in one", statement, len(got))
			}
		}
		b.exec(t, "CALL delivery(1, 5, "+to+")")
		return
	}
	b.exec(t, `
		PREPARE neword (integer, integer, integer, integer, integer) AS SELECT neword($1, $2, $3, $4, $5, 0);
		PREPARE payment (integer, integer, integer, integer, integer, integer, numeric, varchar) AS SELECT payment($1, $2, $3, $4, $5, $6, $7, '$8', '0', 0);
		PREPARE delivery (integer, integer) AS SELECT delivery($1, $2);
		PREPARE slev (integer, integer, integer) AS SELECT slev($1, $2, $3);
		PREPARE ostat (integer, integer, integer, integer, varchar) AS SELECT * FROM ostat($1, $2, $3, $4, '$5') AS (ol_i_id integer,
			ol_supply_w_id integer, ol_quantity smallint, ol_amount numeric, ol_delivery_d timestamptz, out_os_c_id integer, out_os_c_last varchar,
			os_c_first varchar, os_c_middle varchar, os_c_balance numeric, os_o_id integer, os_entdate timestamp, os_o_carrier_id integer)`)
	for statement, want := range map[string]int{
		"EXECUTE neword(1, 2, 4, 3, 10)":                              1,
		"EXECUTE payment(1, 4, 1, 4, 2, 1, 17.50, 'LAST1')":           1,
		"EXECUTE delivery(1, 5)":                                      1,
		"EXECUTE slev(1, 4, 15)":                                      1,
		"EXECUTE ostat(1, 4, 2, 1, 'LAST1')":                          2,
		"SELECT 1 WHERE dbms_random(3, 5) BETWEEN 3 AND 5":            1,
		"SELECT 1 WHERE payment(1, 4, 1, 4, 2, 1, 1, '', '0', 0) = 2": 1,
	} {
		if got := rows(t, b, statement); len(got) != want {
			t.Errorf("%s: got %q, want %d rows", statement, got, want)
		}
	}
	b.exec(t, "DEALLOCATE ALL")
}

// testStandIns calls routines with the signatures of HammerDB's, as in a schema that HammerDB
// built.
func testStandIns(t *testing.T, session database.Session, values option.Values) {
	const dropAll = `DO $$ DECLARE r regprocedure; BEGIN
		FOR r IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP EXECUTE 'DROP ROUTINE ' || r; END LOOP; END $$;`
	const functions = `
		CREATE FUNCTION neword(integer, integer, integer, integer, integer, integer) RETURNS numeric LANGUAGE sql AS 'SELECT 12.5';
		CREATE FUNCTION payment(integer, integer, integer, integer, integer, integer, numeric, varchar, varchar, numeric) RETURNS integer
			LANGUAGE sql AS 'SELECT CASE WHEN $7 = 1234.56 AND $8 = ''NAME'' THEN 77 END';
		CREATE FUNCTION delivery(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';
		CREATE FUNCTION slev(integer, integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 42';
		CREATE FUNCTION ostat(integer, integer, integer, integer, varchar) RETURNS SETOF record LANGUAGE sql AS
			$$ SELECT 1, 1, 5::smallint, 1.5, now(), NULL::integer, NULL::varchar, 'f'::varchar, 'OE'::varchar, -10.0, 3001, now()::timestamp, 3 $$;`
	const procedures = `
		CREATE PROCEDURE neword(integer, integer, integer, integer, integer, INOUT no_c_discount numeric, INOUT no_c_last varchar,
			INOUT no_c_credit varchar, INOUT no_d_tax numeric, INOUT no_w_tax numeric, INOUT no_d_next_o_id integer, timestamp)
			LANGUAGE plpgsql AS 'BEGIN no_d_next_o_id := 3001; COMMIT; END';
		CREATE PROCEDURE payment(integer, integer, integer, integer, byname integer, amount numeric, INOUT p_c_credit char, INOUT p_c_last varchar,
			INOUT p_c_id integer, INOUT a1 varchar, INOUT a2 varchar, INOUT a3 varchar, INOUT a4 varchar, INOUT a5 varchar, INOUT a6 varchar,
			INOUT a7 varchar, INOUT a8 varchar, INOUT a9 varchar, INOUT a10 varchar, INOUT a11 varchar, INOUT a12 varchar, INOUT a13 varchar,
			INOUT a14 varchar, INOUT a15 varchar, INOUT a16 varchar, INOUT a17 varchar, INOUT a18 varchar, INOUT c_since timestamp,
			INOUT c_credit_lim numeric, INOUT c_discount numeric, INOUT c_balance numeric, INOUT c_data varchar, timestamp)
			LANGUAGE plpgsql AS 'BEGIN IF amount = 1234.56 AND p_c_last = ''NAME'' THEN p_c_id := 77; END IF; END';
		CREATE PROCEDURE delivery(integer, integer, timestamp) LANGUAGE plpgsql AS 'BEGIN END';
		CREATE PROCEDURE slev(integer, integer, integer, INOUT stock_count integer) LANGUAGE plpgsql AS 'BEGIN stock_count := 42; END';
		CREATE PROCEDURE ostat(integer, integer, INOUT os_c_id integer, integer, INOUT os_c_last varchar, INOUT os_c_first varchar,
			INOUT os_c_middle varchar, INOUT os_c_balance numeric, INOUT os_o_id integer, INOUT os_entdate timestamp,
			INOUT os_o_carrier_id integer, INOUT os_c_line text DEFAULT '') LANGUAGE plpgsql AS 'BEGIN END';`
	for kind, routines := range map[string]string{"function": functions, "procedure": procedures} {
		t.Run(kind, func(t *testing.T) {
			if err := session.Exec(t.Context(), dropAll+routines); err != nil {
				t.Fatal(err)
			}
			found := rows(t, session, library(t).Text("installed_routines"))
			if want := "neword|" + kind + "|other|"; len(found) != 5 || !strings.HasPrefix(found[1], want) {
				t.Errorf("got %q, want five with %s", found, want)
			}
			b := newBench(t, values, kind)
			b.in.Amount, b.in.LastName, b.in.ByName = 123456, "NAME", 1
			for _, name := range []string{"neword", "payment", "delivery", "slev", "ostat"} {
				b.run(t, name)
			}
			if b.out.order.ID == 0 || b.out.customer.ID != 77 || b.out.stock.Count != 42 {
				t.Errorf("got %+v, want an order, customer 77 and 42 items", b.out)
			}
		})
	}
}

func TestDelivery_ConcurrentCallsTakeDifferentOrders(t *testing.T) {
	session, values := newSchema(t, "sledge_deliveries")
	runScript(t, session, "indexes", values, 1)
	runScript(t, session, "routines", values, 1)
	if err := session.Exec(t.Context(), fmt.Sprintf(orders, 3003)); err != nil {
		t.Fatal(err)
	}
	first, second := newBench(t, values, "function"), newBench(t, values, "function")
	if err := first.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	first.run(t, "delivery")
	done := make(chan error, 1)
	go func() {
		_, err := second.calls["delivery"].Run(context.Background(), nil)
		done <- err
	}()
	waiting := "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
	for deadline := time.Now().Add(time.Minute); rows(t, session, waiting)[0] != "1"; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the second delivery did not wait for the first")
		}
	}
	if err := first.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	wantRows(t, session, "SELECT no_d_id, min(no_o_id), max(no_o_id), count(*) FROM new_order GROUP BY 1 ORDER BY 1", "1|3003|3003|1", "2|3003|3003|1", "4|3003|3003|1")
	wantRows(t, session, "SELECT o_id, count(o_carrier_id) FROM orders GROUP BY 1 ORDER BY 1", "3001|3", "3002|3", "3003|0")
}

func TestSchema(t *testing.T) {
	session, values := newSchema(t, "sledge_schema")
	tables := tableRows(t, session)
	if len(tables) != 92 || !slices.Contains(tables, "order_line|ol_dist_info|table|public") || !slices.IsSorted(firstWords(tables)) {
		t.Errorf("got %d columns, want the 92 of the nine tables in order: %q", len(tables), tables)
	}
	runScript(t, session, "indexes", values, 1)
	wantRows(t, session, "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
		"customer_i1", "customer_i2", "district_i1", "item_i1", "new_order_i1", "order_line_i1", "orders_i1", "orders_i2", "stock_i1", "warehouse_i1")
	wantRows(t, session, "SELECT count(*) FROM pg_constraint WHERE contype = 'p' AND conrelid::regclass::text = ANY ('{customer,district,item,new_order,order_line,orders,stock,warehouse}')", "8")
}

// tableRows returns a row for each column of a table.
func tableRows(t testing.TB, session database.Session) []string {
	return slices.DeleteFunc(rows(t, session, library(t).Text("tables")), func(row string) bool { return !strings.HasSuffix(row, "|table|public") })
}

func firstWords(lines []string) []string {
	words := make([]string, len(lines))
	for i, l := range lines {
		words[i], _, _ = strings.Cut(l, "|")
	}
	return words
}

func TestPartitionedSchema(t *testing.T) {
	session, values := newSchema(t, "sledge_partitions")
	values = with(values, "partition", "true")
	runScript(t, session, "drop", values, 300)
	runScript(t, session, "schema", values, 300)
	for range 2 {
		runScript(t, session, "indexes", values, 300)
	}
	wantRows(t, session, "SELECT relid::regclass FROM pg_partition_tree('order_line') WHERE isleaf ORDER BY 1", "ol_0", "ol_1", "ol_2")
	wantRows(t, session, "SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'ol\\__'", "3")
	if got := len(tableRows(t, session)); got != 92 {
		t.Errorf("got %d columns, want 92: partitions must not count as tables", got)
	}
	if err := session.Exec(t.Context(), "INSERT INTO order_line SELECT 1, 1, w, 1, 1, NULL, 1, w, 5, 'x' FROM generate_series(1, 300) w"); err != nil {
		t.Fatal(err)
	}
	runScript(t, session, "finish", values, 300)
	runScript(t, session, "drop", values, 300)
	wantRows(t, session, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", "0")
}

func TestClientStatementsPrepare(t *testing.T) {
	session, _ := newSchema(t, "sledge_client")
	in := struct {
		WID    int64 `sql:"w_id"`
		DID    int64 `sql:"d_id"`
		CWID   int64 `sql:"c_w_id"`
		CDID   int64 `sql:"c_d_id"`
		CID    int64 `sql:"c_id"`
		Item   int64 `sql:"i_id"`
		Supply int64 `sql:"supply_w_id"`
	}{}
	sql := library(t)
	for _, file := range []string{"neworder.", "payment.", "delivery."} {
		for _, name := range sql.Names(file) {
			q, err := sql.Query(name)
			if err != nil {
				t.Fatal(err)
			}
			statement, err := session.Prepare(t.Context(), q, &in, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			if n, err := statement.Run(t.Context(), nil); err != nil || n != 0 {
				t.Errorf("%s: got %d rows, %v; want none of empty tables", name, n, err)
			}
		}
	}
}
