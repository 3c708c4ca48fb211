package db2_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/database/db2"
	"sledge/internal/database/mariadb"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
)

// translated translates a statement of routines.sql for MariaDB: conversions of numbers, lock
// clauses, table options, and the array, which MariaDB lacks.
func translated(statement string) string {
	for _, r := range []struct{ from, to string }{
		{` ORGANIZE BY ROW`, ""},
		{`\bINTEGER\(`, "FLOOR("},
		{`\bVARCHAR\(([a-z]\w*)\)`, "CAST($1 AS CHAR)"},
		{`\bBITOR\(`, "sledge_bitor("},
		{`WITH RS USE AND KEEP UPDATE LOCKS`, "FOR UPDATE"},
		{`\(same\.many \+ 1\) / 2`, "(same.many + 1) DIV 2"},
		{`\bDELIVARRAY\b`, "VARCHAR(200)"},
		{`SET delivered\[place\] = (.*);`, "SET delivered = CONCAT_WS(',', delivered, $1);"},
	} {
		statement = regexp.MustCompile(r.from).ReplaceAllString(statement, r.to)
	}
	return statement
}

// fill creates two warehouses with all items and stock, and a district in each with five customers
// who share a name, and a rich one with bad credit.
const fill = `
INSERT INTO item SELECT seq, 1, 'item', seq % 99 + 1.25, 'data' FROM seq_1_to_100000;
INSERT INTO stock SELECT i.seq, w.seq, 10 + i.seq % 91, 'dist 01', 'dist 02', 'dist 03', 'dist 04', 'dist 05', 'dist 06', 'dist 07',
  'dist 08', 'dist 09', 'dist 10', 0, 0, 0, 'data' FROM seq_1_to_100000 i, seq_1_to_2 w;
INSERT INTO warehouse SELECT seq, 300000, 0.1, CONCAT('ware ', seq), 's1', 's2', 'city', 'st', '123411111' FROM seq_1_to_2;
INSERT INTO district SELECT d.seq, w_id, 30000, 0.05, 1, CONCAT('dist ', d.seq), 's1', 's2', 'city', 'st', '123411111' FROM warehouse, seq_1_to_10 d;
INSERT INTO customer SELECT c.seq, d_id, d_w_id, CONCAT('first ', 9 - c.seq), IF(c.seq = 6, 'RICH', 'SAME'), 'OE', 's1', 's2', 'city', 'st', '123411111',
  '0123456789012345', NOW(), IF(c.seq = 6, 'BC', 'GC'), 50000, 0.2, -10, 10, 1, 0, 'old data' FROM district, seq_1_to_6 c;
COMMIT`

// TestRoutines_InMariaDB tests the logic of the routines in MariaDB, after a translation of their
// SQL. It does not test whether Db2 accepts their syntax.
func TestRoutines_InMariaDB(t *testing.T) {
	local := engine.Local{Catalog: catalog.New([]*database.Database{db2.Database}, []*workload.Workload{tprocc.Workload})}
	plan, err := local.Plan(job.Spec{Action: job.Build, Database: "db2", Workload: tprocc.Workload.Name, Options: option.Values{"tablespace": ""}})
	if err != nil {
		t.Fatal(err)
	}
	o := mariadb.Database.Options.New(database.Use{Name: "sledge_db2_routines"})
	if err := option.Bind(nil, testserver.Open(t, "mariadb").Values(), o); err != nil {
		t.Fatal(err)
	}
	if err := mariadb.Database.Container.Create(t.Context(), o, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	s, err := mariadb.Database.Sessions.Connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := mariadb.Database.Container.Drop(context.Background(), o, database.DropOptions{}); err != nil {
			t.Error(err)
		}
	})
	exec := func(statement string) {
		t.Helper()
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%.300s: %v", statement, err)
		}
	}
	ask := func(query string) string {
		t.Helper()
		got, err := s.Query(t.Context(), query, 0)
		if err != nil || len(got.Rows) != 1 {
			t.Fatalf("%s: got %v, %v", query, got.Rows, err)
		}
		return strings.Join(got.Rows[0], " ")
	}
	want := func(query, want string) {
		t.Helper()
		if got := ask(query); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	exec("SET SESSION sql_mode = 'PIPES_AS_CONCAT', autocommit = 0")
	exec("CREATE OR REPLACE FUNCTION sledge_bitor(a BIGINT, b BIGINT) RETURNS BIGINT DETERMINISTIC RETURN a | b")
	for _, name := range []string{"schema", "routines"} {
		statements, err := plan.SQL.Script(name, plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range statements {
			if name == "schema" || strings.Contains(statement, "CREATE OR REPLACE PROCEDURE") {
				exec(strings.Replace(translated(statement), "CREATE TABLE ", "CREATE OR REPLACE TABLE ", 1))
			}
		}
	}
	for statement := range strings.SplitSeq(fill, ";\n") {
		exec(statement)
	}

	const least, most = 400, 4000 // calls: one in a hundred is rolled back, by chance
	calls, rolledBack := 0, 0
	for n := 0; n < least || rolledBack == 0 && n < most; n++ {
		calls++
		exec("SET @next = 0")
		exec(fmt.Sprintf("CALL NEWORD(1, 2, 1, %d, %d, @discount, @last, @credit, @dtax, @wtax, @next, NOW())", 1+n%6, 5+n%11))
		if ask("SELECT @next") == "0" {
			rolledBack++
		}
	}
	if rolledBack == 0 || rolledBack > calls/20 {
		t.Errorf("%d of %d orders were rolled back, want about one in a hundred", rolledBack, calls)
	}
	want("SELECT @discount, @dtax, @wtax, @credit", "0.2000 0.0500 0.1000 GC")
	kept := calls - rolledBack
	want("SELECT d_next_o_id FROM district WHERE d_w_id = 1 AND d_id = 1", fmt.Sprint(1+kept))
	want("SELECT COUNT(*), MIN(o_id), MAX(o_id) FROM orders", fmt.Sprint(kept, 1, kept))
	want("SELECT COUNT(*) FROM new_order", fmt.Sprint(kept))
	want("SELECT COUNT(*) - (SELECT SUM(o_ol_cnt) FROM orders) FROM order_line", "0")
	want("SELECT (SELECT SUM(s_order_cnt) FROM stock) - COUNT(*), (SELECT SUM(s_ytd) FROM stock) - SUM(ol_quantity), (SELECT SUM(s_remote_cnt) FROM stock) - SUM(ol_supply_w_id = 2) FROM order_line", "0 0 0")
	want("SELECT COUNT(*) FROM stock WHERE s_quantity < 10 OR s_quantity > 100", "0")
	want("SELECT COUNT(*) FROM order_line JOIN item ON i_id = ol_i_id WHERE ol_amount <> i_price * ol_quantity OR ol_dist_info NOT LIKE 'dist 01%' OR ol_quantity NOT BETWEEN 1 AND 10", "0")
	want("SELECT COUNT(*) FROM orders WHERE o_all_local <> (SELECT MIN(ol_supply_w_id = 1) FROM order_line WHERE ol_o_id = o_id)", "0")
	want("SELECT COUNT(*) FROM orders WHERE o_ol_cnt <> (SELECT MAX(ol_number) FROM order_line WHERE ol_o_id = o_id)", "0")

	const payment = "CALL PAYMENT(1, 1, 1, 1, @id, %d, 12.34, @last, @a, @a, @a, @a, @a, @a, @a, @a, @a, @a, @first, @a, @a, @a, @a, @a, @a, @a, @a, @credit, @a, @a, @balance, @data, NOW())"
	exec("SET @id = 0, @last = 'SAME'")
	exec(fmt.Sprintf(payment, 1))
	want("SELECT @id, @first, @balance", "3 first 6 -22.34") // the third of five customers by first name; first names are in reverse order of the numbers
	exec("SET @id = 6, @last = ''")
	exec(fmt.Sprintf(payment, 0))
	want("SELECT @last, @credit, @data", "RICH BC 6 1 1 1 1 12.34|old data")
	want("SELECT w_ytd, (SELECT SUM(d_ytd) FROM district WHERE d_w_id = w_id) FROM warehouse WHERE w_id = 1", "300024.68 300024.68")
	want("SELECT COUNT(*), SUM(h_amount), MIN(h_data) FROM history", "2 24.68 ware 1    dist 1")
	want("SELECT c_ytd_payment, c_payment_cnt FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 3", "22.34 2")

	exec("CALL OSTAT(1, 1, @id, 0, @last, @first, @middle, @balance, @order, @entered, @carrier)")
	want("SELECT @id, @last, @balance, @order = (SELECT MAX(o_id) FROM orders WHERE o_c_id = 6), @carrier IS NULL", "6 RICH -22.34 1 1")
	exec("CALL DELIVERY(1, 7, NOW(), @delivered)")
	want("SELECT @delivered", "1,0,0,0,0,0,0,0,0,0")
	want("SELECT COUNT(*), MIN(no_o_id) FROM new_order", fmt.Sprint(kept-1, 2))
	want("SELECT o_carrier_id, (SELECT COUNT(*) FROM order_line WHERE ol_delivery_d IS NOT NULL) = o_ol_cnt FROM orders WHERE o_id = 1", "7 1")
	want("SELECT c_balance + c_ytd_payment - (SELECT SUM(ol_amount) FROM order_line WHERE ol_o_id = 1), c_delivery_cnt FROM customer JOIN orders ON o_c_id = c_id WHERE o_id = 1 AND c_w_id = 1 AND c_d_id = 1", "0.00 1")
	exec("CALL SLEV(1, 1, 101, @low)")
	want("SELECT @low = (SELECT COUNT(DISTINCT ol_i_id) FROM order_line JOIN district ON d_w_id = 1 AND d_id = 1 JOIN stock ON s_w_id = 1 AND s_i_id = ol_i_id WHERE ol_o_id >= d_next_o_id - 20)", "1")
}
