package oracle_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/oracle"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// lab is a TPROC-C schema in MariaDB, with MariaDB's routines and translated copies of Oracle's.
type lab struct {
	database.Session
	t      *testing.T
	plan   plan.Plan
	blocks *sqlfile.Library // the calls
}

// TestRoutines_MatchMariaDBs runs our PL/SQL, translated by inMariaDB, and compares it with
// MariaDB's routines, which other tests check.
func TestRoutines_MatchMariaDBs(t *testing.T) {
	l := newLab(t)
	l.install()
	l.seed()
	t.Run("payment", func(t *testing.T) { l.compare(t, payments, "payment", paid) })
	t.Run("delivery", func(t *testing.T) { l.compare(t, deliveries, "delivery", delivered) })
	t.Run("ostat", func(t *testing.T) { l.compare(t, statuses, "ostat", nil) })
	t.Run("slev", func(t *testing.T) { l.compare(t, levels, "slev", nil) })
	t.Run("neword", l.testNewOrder)
	t.Run("mistakes", l.testMistakes)
	t.Run("the twelve conditions hold afterwards", l.testConditions)
}

func newLab(t *testing.T) *lab {
	values := option.Values(testserver.Open(t, "mariadb").Values())
	values = maps.Clone(values)
	values["dbname"], values["warehouses"], values["load_time"] = "sledge_oracle_logic", "1", "2026-01-01"
	spec := job.Spec{Action: job.Build, Database: "mariadb", Workload: "tprocc", Seed: 1, Options: values}
	runner := engine.Local{Catalog: edition.Catalog, Version: "test"}
	if _, err := runner.Do(t.Context(), spec, job.Control{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		spec.Action = job.Delete
		if _, err := runner.Do(context.Background(), spec, job.Control{}); err != nil {
			t.Errorf("delete: %v", err)
		}
	})
	plan, err := plan.New(catalog.Pair{Database: mariadb.Database, Workload: tprocc.Workload}, spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mariadb.Database.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &lab{Session: s, t: t, plan: plan}
	t.Cleanup(func() {
		if err := s.Exec(context.Background(), "DROP VIEW IF EXISTS stock_item"); err != nil {
			t.Error(err)
		}
	})
	l.blocks, err = sqlfile.NewLibrary(oracle.Database.Dialect.Placeholder, sqlfile.Place{Files: os.DirFS("sql"), Dir: "tprocc"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lab) exec(t *testing.T, statement string) {
	t.Helper()
	if err := l.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%v of\n%s", err, statement)
	}
}

func (l *lab) rows(t *testing.T, query string) [][]string {
	t.Helper()
	table, err := l.Query(t.Context(), query, 0)
	if err != nil {
		t.Fatalf("%v of\n%s", err, query)
	}
	return table.Rows
}

// install creates the view and the translated routines, with the prefix ora_.
func (l *lab) install() {
	l.t.Helper()
	text, err := os.ReadFile(path.Join("sql", "tprocc", "routines.sql"))
	if err != nil {
		l.t.Fatal(err)
	}
	l.exec(l.t, "SET sql_mode = ORACLE")
	made := 0
	for statement := range strings.SplitSeq(string(text), "\n/\n") {
		statement = comment.ReplaceAllString(statement, "")
		switch {
		case strings.Contains(statement, "CREATE OR REPLACE VIEW"):
			l.exec(l.t, statement)
		case strings.Contains(statement, "CREATE OR REPLACE PROCEDURE "):
			l.exec(l.t, strings.Replace(inMariaDB(statement), "PROCEDURE ", "PROCEDURE ora_", 1))
			made++
		}
	}
	if made != 5 {
		l.t.Fatalf("got %d procedures, want 5", made)
	}
}

func (l *lab) seed() { l.exec(l.t, "SET SESSION rand_seed1 = 4711, rand_seed2 = 4712") }

// inputs are the arguments of a call, by the names of its parameters.
type inputs map[string]string

// ours calls a translated routine by the block that the program sends, and returns the outputs.
func (l *lab) ours(t *testing.T, name string, in inputs, outputs ...string) []string {
	t.Helper()
	block := blockInMariaDB(l.blocks.Text("procedure."+name), in)
	block = strings.Replace(block, "\n  "+name+"(", "\n  ora_"+name+"(", 1)
	l.exec(t, block)
	return l.variables(t, outputs)
}

func (l *lab) variables(t *testing.T, names []string) []string {
	t.Helper()
	if len(names) == 0 {
		return nil
	}
	return l.rows(t, "SELECT @"+strings.Join(names, ", @"))[0]
}

// theirs calls MariaDB's own routine, which commits.
func (l *lab) theirs(t *testing.T, name string, in inputs) {
	t.Helper()
	text, err := l.plan.SQL.Filled("procedure."+name, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Exec(t.Context(), text); err != nil {
		t.Fatalf("%v of %s", err, text)
	}
}

// trial returns the inputs of the calls to compare.
type trial func(l *lab, t *testing.T) []inputs

// compare calls our routine, reads the changed rows by look, rolls back, calls MariaDB's routine
// with the same inputs, and compares the rows and outputs.
func (l *lab) compare(t *testing.T, trials trial, name string, look func(l *lab, t *testing.T, in inputs) [][]string) {
	answers := map[string]struct{ ours, theirs []string }{
		"payment": {[]string{"p_c_id", "output"}, []string{"p_c_id", "p_c_last", "p_c_balance", "p_c_credit", "p_w_city", "p_d_zip", "p_c_data"}},
		"slev":    {[]string{"stock_count"}, []string{"stock_count"}},
		"ostat":   {[]string{"output"}, []string{"os_c_id", "os_c_last", "os_c_first", "os_c_middle", "os_c_balance", "os_o_id", "os_entdate", "os_o_carrier_id"}},
	}[name]
	list := trials(l, t)
	if len(list) == 0 {
		t.Fatal("there are no inputs to try")
	}
	for _, in := range list {
		l.exec(t, "START TRANSACTION")
		mine := l.ours(t, name, in, answers.ours...)
		var seen, before [][]string
		if look != nil {
			seen = look(l, t, in)
		}
		l.exec(t, "ROLLBACK")
		if look != nil {
			before = look(l, t, in)
			if equal(before, seen) {
				t.Fatalf("%s of %v changed none of the rows that the test reads", name, in)
			}
		}
		l.theirs(t, name, in)
		if look != nil {
			if wanted := look(l, t, in); !equal(seen, wanted) {
				t.Fatalf("%s of %v: got\n%v, want\n%v", name, in, seen, wanted)
			}
		}
		other := l.variables(t, answers.theirs)
		said := strings.Join(mine, "|")
		for _, word := range other {
			if word = strings.TrimSuffix(word, ".00"); word != "NULL" && !strings.Contains(said, word) {
				t.Errorf("%s of %v: got the outputs %q, want %q in them", name, in, said, word)
			}
		}
	}
}

func equal(a, b [][]string) bool { return slices.EqualFunc(a, b, slices.Equal[[]string]) }

func payments(l *lab, t *testing.T) (list []inputs) {
	names := l.rows(t, "SELECT c_last FROM customer WHERE c_d_id = 2 GROUP BY c_last HAVING COUNT(*) IN (1, 2, 3, 4, 5, 6) ORDER BY COUNT(*), c_last LIMIT 12")
	for i, row := range names {
		list = append(list, inputs{
			"w_id": "1", "d_id": fmt.Sprint(1 + i%10), "c_w_id": "1", "c_d_id": "2", "c_id": "7", "by_name": "1",
			"h_amount_cents": fmt.Sprint(100 + 37*i), "c_last": "'" + row[0] + "'",
		})
	}
	// One customer with bad credit, one with good credit.
	for _, credit := range []string{"BC", "GC"} {
		id := l.rows(t, "SELECT MIN(c_id) FROM customer WHERE c_d_id = 3 AND c_credit = '"+credit+"'")[0][0]
		list = append(list, inputs{
			"w_id": "1", "d_id": "9", "c_w_id": "1", "c_d_id": "3", "c_id": id, "by_name": "0", "h_amount_cents": "500000", "c_last": "''",
		})
	}
	return list
}

// paid returns the rows that a payment has changed, without times, which differ between calls.
func paid(l *lab, t *testing.T, in inputs) [][]string {
	var all [][]string
	for _, query := range []string{
		"SELECT w_ytd FROM warehouse",
		"SELECT d_id, d_ytd FROM district ORDER BY d_id",
		"SELECT c_id, c_balance, c_ytd_payment, c_payment_cnt, c_data FROM customer WHERE c_payment_cnt > 1 ORDER BY c_d_id, c_id",
		"SELECT COUNT(*), SUM(h_amount) FROM history",
		"SELECT h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_amount, h_data FROM history WHERE h_amount <> 10 OR LENGTH(h_data) = 0 ORDER BY h_c_d_id, h_c_id, h_amount",
	} {
		all = append(all, l.rows(t, query)...)
	}
	return all
}

func deliveries(l *lab, t *testing.T) []inputs {
	// District 4 has no new orders, so a delivery skips it.
	l.exec(t, "START TRANSACTION")
	l.exec(t, "UPDATE orders SET o_carrier_id = 1 WHERE o_d_id = 4 AND o_id > 2100")
	l.exec(t, "UPDATE order_line SET ol_delivery_d = '2026-01-01' WHERE ol_d_id = 4 AND ol_o_id > 2100")
	l.exec(t, `UPDATE customer JOIN (SELECT o_c_id, SUM(ol_amount) AS amount FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
		WHERE o_d_id = 4 AND o_id > 2100 GROUP BY o_c_id) a ON a.o_c_id = c_id SET c_balance = c_balance + a.amount WHERE c_d_id = 4`)
	l.exec(t, "DELETE FROM new_order WHERE no_d_id = 4")
	l.exec(t, "COMMIT")
	return []inputs{{"w_id": "1", "carrier_id": "3"}, {"w_id": "1", "carrier_id": "7"}, {"w_id": "1", "carrier_id": "10"}}
}

// delivered returns the rows that deliveries change.
func delivered(l *lab, t *testing.T, _ inputs) [][]string {
	var all [][]string
	for _, query := range []string{
		"SELECT no_d_id, COUNT(*), MIN(no_o_id) FROM new_order GROUP BY no_d_id ORDER BY no_d_id",
		"SELECT o_d_id, o_id, o_carrier_id FROM orders WHERE o_id > 2100 AND o_carrier_id IS NOT NULL AND o_d_id <> 4 ORDER BY o_d_id, o_id",
		"SELECT ol_d_id, ol_o_id, COUNT(*) FROM order_line WHERE ol_o_id > 2100 AND ol_delivery_d IS NOT NULL AND ol_d_id <> 4 GROUP BY ol_d_id, ol_o_id ORDER BY 1, 2",
		"SELECT c_d_id, c_id, c_balance, c_delivery_cnt FROM customer WHERE c_delivery_cnt > 0 ORDER BY c_d_id, c_id",
	} {
		all = append(all, l.rows(t, query)...)
	}
	return all
}

func statuses(l *lab, t *testing.T) (list []inputs) {
	for _, in := range payments(l, t) {
		list = append(list, inputs{"w_id": "1", "d_id": in["c_d_id"], "c_id": in["c_id"], "by_name": in["by_name"], "c_last": in["c_last"]})
	}
	return list
}

func levels(*lab, *testing.T) (list []inputs) {
	for d := 1; d <= 10; d++ {
		list = append(list, inputs{"w_id": "1", "d_id": fmt.Sprint(d), "threshold": fmt.Sprint(10 + d)})
	}
	return list
}

// testNewOrder enters orders, of which some roll back. The routines draw items at random, so the
// test checks sums and rules instead of comparing rows.
func (l *lab) testNewOrder(t *testing.T) {
	const orders = 100
	value := func(query string) string { t.Helper(); return l.rows(t, query)[0][0] }
	// With one warehouse, every order line is supplied by it. With more, some lines would need
	// stock of a warehouse that was not built.
	in := inputs{"w_id": "1", "max_w_id": "1", "ol_cnt": "15"}
	rolledBack, entered := 0, map[string]int{}
	lines := 0
	for i := range orders {
		in["d_id"], in["c_id"] = fmt.Sprint(1+i%10), fmt.Sprint(1+i*7)
		in["ol_cnt"] = fmt.Sprint(5 + i%11)
		before := value("SELECT d_next_o_id FROM district WHERE d_id = " + in["d_id"])
		l.exec(t, "START TRANSACTION")
		got := l.ours(t, "neword", in, "no_d_next_o_id", "output")
		l.exec(t, "COMMIT")
		if got[0] == "0" {
			rolledBack++
			if value("SELECT d_next_o_id FROM district WHERE d_id = "+in["d_id"]) != before {
				t.Fatal("an order that was rolled back kept its number")
			}
			continue
		}
		if got[0] != before {
			t.Fatalf("got order %s, want %s", got[0], before)
		}
		entered[in["d_id"]]++
		lines += 5 + i%11
		of := fmt.Sprintf(" WHERE ol_d_id = %s AND ol_o_id = %s", in["d_id"], got[0])
		if n := value("SELECT COUNT(*) FROM order_line" + of); n != in["ol_cnt"] {
			t.Fatalf("order %s has %s lines, want %s", got[0], n, in["ol_cnt"])
		}
		if wrong := l.rows(t, "SELECT * FROM order_line JOIN item ON i_id = ol_i_id JOIN stock ON s_i_id = ol_i_id AND s_w_id = ol_supply_w_id"+of+
			" AND (ol_amount <> ol_quantity * i_price OR ol_quantity NOT BETWEEN 1 AND 10 OR ol_delivery_d IS NOT NULL OR ol_dist_info <> s_dist_"+
			fmt.Sprintf("%02s", in["d_id"])+")"); len(wrong) > 0 {
			t.Fatalf("order %s has the wrong lines %v", got[0], wrong)
		}
		customer := l.rows(t, "SELECT c_discount, c_last, c_credit FROM customer WHERE c_d_id = "+in["d_id"]+" AND c_id = "+in["c_id"])[0]
		for _, word := range customer[1:] {
			if !strings.Contains(got[1], word) {
				t.Errorf("got the outputs %q, want %q in them", got[1], word)
			}
		}
	}
	if rolledBack < 1 || rolledBack > 6 {
		t.Errorf("%d of %d orders rolled back, want about one", rolledBack, orders)
	}
	if got := value("SELECT SUM(s_order_cnt) FROM stock"); got != fmt.Sprint(lines) {
		t.Errorf("stock counts %s lines, want %d", got, lines)
	}
	if got, want := value("SELECT SUM(s_ytd) FROM stock"), value("SELECT SUM(ol_quantity) FROM order_line WHERE ol_o_id > 3000"); got != want {
		t.Errorf("stock counts %s items sold, want %s as in the order lines", got, want)
	}
	if wrong := value("SELECT COUNT(*) FROM stock WHERE s_quantity < 10 OR s_quantity > 100 OR s_remote_cnt <> 0"); wrong != "0" {
		t.Errorf("%s rows of stock are out of bounds", wrong)
	}
	items := l.rows(t, "SELECT COUNT(DISTINCT ol_i_id), MIN(ol_i_id), MAX(ol_i_id) FROM order_line WHERE ol_o_id > 3000")[0]
	t.Logf("%d orders of %d lines, %d rolled back; items %v", orders-rolledBack, lines, rolledBack, items)
}

// testMistakes calls routines with wrong inputs, and checks that they fail and change nothing.
func (l *lab) testMistakes(t *testing.T) {
	before := paid(l, t, nil)
	for _, c := range []struct {
		name string
		in   inputs
	}{
		{"payment", inputs{"w_id": "1", "d_id": "1", "c_w_id": "1", "c_d_id": "1", "c_id": "99999", "by_name": "0", "h_amount_cents": "100", "c_last": "''"}},
		{"payment", inputs{"w_id": "1", "d_id": "1", "c_w_id": "1", "c_d_id": "1", "c_id": "1", "by_name": "1", "h_amount_cents": "100", "c_last": "'NOBODY'"}},
	} {
		block := strings.Replace(blockInMariaDB(l.blocks.Text("procedure."+c.name), c.in), "\n  "+c.name+"(", "\n  ora_"+c.name+"(", 1)
		l.exec(t, "START TRANSACTION")
		err := l.Exec(t.Context(), block)
		l.exec(t, "COMMIT")
		if err == nil {
			t.Errorf("%s with missing rows did not fail", c.name)
		}
	}
	if after := paid(l, t, nil); !equal(before, after) {
		t.Errorf("failed routines changed rows: got %v, want %v", after, before)
	}
}

func (l *lab) testConditions(t *testing.T) {
	names := l.plan.SQL.Names("check.")
	asked := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_known") {
			continue
		}
		asked++
		q, err := l.plan.SQL.Query(name)
		if err != nil {
			t.Fatal(err)
		}
		if broken := l.rows(t, q.Text); len(broken) > 0 {
			t.Errorf("%s: rows such as %v break it", name, broken[0])
		}
	}
	if asked < 12 {
		t.Errorf("only %d conditions were checked", asked)
	}
}
