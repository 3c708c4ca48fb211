package tprocc_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/database/sqlite"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite"
	"sledge/internal/suite/suitetest"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/workload/tprocc"
)

// breaks has a statement that breaks each rule.
var breaks = map[string]string{
	"warehouses":     "UPDATE warehouse SET w_id = 7 WHERE w_id = 1",
	"districts":      "DELETE FROM district WHERE d_id = 10",
	"customers":      "DELETE FROM customer WHERE c_d_id = 1 AND c_id = 3000",
	"history":        "DELETE FROM history WHERE h_c_d_id = 1 AND h_c_id = 1",
	"items":          "DELETE FROM item WHERE i_id = 5",
	"stock":          "DELETE FROM stock WHERE s_i_id = 5",
	"orders":         "DELETE FROM orders WHERE o_d_id = 1 AND o_id = 1",
	"consistency_1":  "UPDATE warehouse SET w_ytd = w_ytd + 1",
	"consistency_2":  "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_id = 1",
	"consistency_3":  "DELETE FROM new_order WHERE no_d_id = 1 AND no_o_id = 2500",
	"consistency_4":  "DELETE FROM order_line WHERE ol_d_id = 1 AND ol_o_id = 1 AND ol_number = 1",
	"consistency_5":  "UPDATE orders SET o_carrier_id = 1 WHERE o_d_id = 1 AND o_id = 3000",
	"consistency_6":  "UPDATE orders SET o_ol_cnt = o_ol_cnt + 1 WHERE o_d_id = 1 AND o_id = 1",
	"consistency_7":  "UPDATE order_line SET ol_delivery_d = NULL WHERE ol_d_id = 1 AND ol_o_id = 1",
	"consistency_8":  "UPDATE history SET h_amount = h_amount + 0.01 WHERE h_c_d_id = 1 AND h_c_id = 1",
	"consistency_9":  "UPDATE district SET d_ytd = d_ytd - 0.01 WHERE d_id = 1",
	"consistency_10": "UPDATE customer SET c_balance = c_balance + 0.01 WHERE c_d_id = 1 AND c_id = 1",
	"consistency_11": "DELETE FROM new_order WHERE no_d_id = 1 AND no_o_id = 2500",
	"consistency_12": "UPDATE customer SET c_ytd_payment = c_ytd_payment + 0.01 WHERE c_d_id = 1 AND c_id = 1",
}

// byCommand breaks a rule on a database without SQL. The database has no rollback, so a second
// command undoes the first.
type byCommand struct {
	breaks, mends string
	finds         string // the beginning of a row that the rule then finds
}

// breaksByCommand breaks each rule with one command, in different keys. The commands are run
// together, because the check reads all rows again after each change.
var breaksByCommand = map[string]byCommand{
	"warehouses":     {"HSET warehouse(7) w_ytd 0", "DEL warehouse(7)", "7"},
	"districts":      {"RENAME district(1,10) aside(1)", "RENAME aside(1) district(1,10)", "1 9"},
	"customers":      {"RENAME customer(2,1,3000) aside(2)", "RENAME aside(2) customer(2,1,3000)", "2 1 2999"},
	"history":        {"RENAME history(1,2) aside(3)", "RENAME aside(3) history(1,2)", "1 2 0"},
	"items":          {"RENAME item(5) aside(4)", "RENAME aside(4) item(5)", "99999"},
	"stock":          {"RENAME stock(1,5) aside(5)", "RENAME aside(5) stock(1,5)", "1 99999"},
	"orders":         {"RENAME orders(2,2,1) aside(6)", "RENAME aside(6) orders(2,2,1)", "2 2 2999"},
	"consistency_1":  {"HINCRBY warehouse(2) w_ytd 100", "HINCRBY warehouse(2) w_ytd -100", "2 300001"},
	"consistency_2":  {"HINCRBY district(1,3) d_next_o_id 1", "HINCRBY district(1,3) d_next_o_id -1", "1 3 3002"},
	"consistency_3":  {"ZREM new_order(1,4) 2500", "ZADD new_order(1,4) 2500 2500", "1 4 2101 3000 899"},
	"consistency_4":  {"RENAME order_line(1,5,1) aside(7)", "RENAME aside(7) order_line(1,5,1)", "1 5"},
	"consistency_5":  {"HSET orders(1,6,3000) o_carrier_id 1", "HDEL orders(1,6,3000) o_carrier_id", "1 6 3000 1"},
	"consistency_6":  {"HINCRBY orders(1,7,1) o_ol_cnt 1", "HINCRBY orders(1,7,1) o_ol_cnt -1", "1 7 1"},
	"consistency_7":  {"HDEL order_line(1,8,1) ol_delivery_d/1", "HSET order_line(1,8,1) ol_delivery_d/1 now()", "1 8 1 1"},
	"consistency_8":  {"HINCRBY warehouse(1) w_ytd 1", "HINCRBY warehouse(1) w_ytd -1", "1 300000.01"},
	"consistency_9":  {"HINCRBY district(1,9) d_ytd -1", "HINCRBY district(1,9) d_ytd 1", "1 9 29999.99 30000"},
	"consistency_10": {"HINCRBY customer(2,3,1) c_balance 1", "HINCRBY customer(2,3,1) c_balance -1", "2 3 1"},
	"consistency_11": {"ZREM new_order(2,4) 2500", "ZADD new_order(2,4) 2500 2500", "2 4 3000 899"},
	"consistency_12": {"HINCRBY customer(2,5,1) c_ytd_payment 1", "HINCRBY customer(2,5,1) c_ytd_payment -1", "2 5 1"},
}

// speaksSQL reports whether a database has tables with typed columns.
func speaksSQL(d *database.Database) bool { return d.Dialect.Type != nil }

// TestCheck_SaysThatThereIsNoSchema creates the account and the database, but no schema.
func TestCheck_SaysThatThereIsNoSchema(t *testing.T) {
	for _, d := range edition.Catalog.Databases {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel() // each is on a server of its own
			c := newSubject(suitetest.Of(t), d, workloadtest.Server(t, d, ""))
			c.saysThatThereIsNone()
			if _, err := d.Container.Drop(t.Context(), c.plan().Connection, database.DropOptions{Builder: "this test"}); err != nil {
				t.Error(err)
			}
		})
	}
}

// checksSchema verifies HammerDB's lines of a build, and that a check finds and reports each broken
// rule. It undoes what it breaks.
func checksSchema(t suite.T, d *database.Database, values option.Values, build, check []job.Event) {
	c := newSubject(t, d, values)
	c.saysWhatABuildDoes(build)
	c.wantFirst(job.Check, c.said(job.Check, check), append(c.linesOfACheck(), "1 "+c.schema+" TPROC-C Schema has been checked successfully.", "1 FINISHED SUCCESS")...)
	c.findsEachBreak()
	c.saysWhatIsBroken()
	if speaksSQL(d) { // as HammerDB's client SQL does
		c.namesWhatHammerDBsClientLeaves()
	}
}

// subject is a schema on a database.
type subject struct {
	t      suite.T
	d      *database.Database
	values option.Values
	schema string // its name
}

func newSubject(t suite.T, d *database.Database, values option.Values) *subject {
	c := &subject{t: t, d: d, values: values}
	c.schema = d.Options.SchemaName(c.plan().Connection).Name
	return c
}

var local = engine.Local{Catalog: edition.Catalog, Version: "test"}

func (c *subject) spec(action job.Action) job.Spec {
	return job.Spec{Action: action, Database: c.d.Name, Workload: "tprocc", Seed: 1, Options: c.values}
}

func (c *subject) plan() plan.Plan {
	plan, err := local.Plan(c.spec(job.Check))
	if err != nil {
		c.t.Fatal(err)
	}
	return plan
}

func (c *subject) session() database.Session {
	s, err := c.d.Sessions.Connect(c.t.Context(), c.plan().Connection, database.Owner)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// do runs a job and returns the lines of the virtual users, with their positions.
func (c *subject) do(action job.Action, exit job.Exit) []string {
	c.t.Helper()
	heard := newSaid(action, c.d)
	_, err := local.Do(c.t.Context(), c.spec(action), job.Control{Watchers: []job.Watcher{heard}})
	if job.ExitOf(err) != exit {
		c.t.Fatalf("%s: got %v, want the exit code %d", action, err, exit)
	}
	return heard.lines
}

// says runs a job and compares its first lines, ignoring case.
func (c *subject) says(action job.Action, exit job.Exit, want ...string) {
	c.t.Helper()
	c.wantFirst(action, c.do(action, exit), want...)
}

// wantFirst compares the first lines of a job, ignoring case.
func (c *subject) wantFirst(action job.Action, got []string, want ...string) {
	c.t.Helper()
	if !strings.EqualFold(strings.Join(got[:min(len(want), len(got))], "\n"), strings.Join(want, "\n")) {
		c.t.Errorf("%s: got\n%s\nwant\n%s", action, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// said returns the lines of a job, given its events.
func (c *subject) said(action job.Action, told []job.Event) []string {
	heard := newSaid(action, c.d)
	for _, e := range told {
		heard.Watch(e)
	}
	return heard.lines
}

// said keeps a job's lines in HammerDB's words, each with the number of its virtual user.
type said struct {
	speaker *lines.Speaker
	lines   []string
}

func newSaid(action job.Action, d *database.Database) *said {
	w := tprocc.Workload
	return &said{speaker: lines.NewSpeaker(lines.About{
		Action: action, Database: d.Name, Product: d.Title, Workload: w.Name, Title: w.Title,
	})}
}

func (s *said) Watch(e job.Event) {
	for _, line := range s.speaker.Say(e) {
		s.lines = append(s.lines, strings.TrimPrefix(string(rune('0'+line.User))+" "+line.Text, "0 "))
	}
}

// makes creates the account and the database.
func (c *subject) makes() {
	plan := c.plan()
	heard := newSaid(job.Build, c.d)
	for range 2 {
		err := plan.Database.Container.Create(c.t.Context(), plan.Connection, func(e job.Event) { heard.Watch(e) })
		if err != nil {
			c.t.Fatal(err)
		}
	}
	if want := []string{
		"Warning: user tpcc has the default password, which is public: set password to choose another",
		"CREATING DATABASE tpcc under OWNER tpcc",
	}; c.d.Name == "postgresql" && !slices.Equal(heard.lines, want) {
		c.t.Errorf("the second call must create nothing: got %q, want %q", heard.lines, want)
	}
}

func (c *subject) saysThatThereIsNone() {
	c.makes()
	c.says(job.Check, job.ExitMissing,
		"1 RUNNING", "1 Checking "+c.schema+" TPROC-C schema", "1 Check database",
		"Error in Virtual User 1: Schema check failed "+c.schema+" TPROC-C schema does not exist", "1 FINISHED FAILED")
}

// saysWhatABuildDoes checks the lines of a build by one virtual user or by several, whose lines come in
// any order.
func (c *subject) saysWhatABuildDoes(told []job.Event) {
	got := c.said(job.Build, told)
	byTwo := c.values["builders"] == "2"
	schema := c.d.Options.SchemaName(c.plan().Connection)
	builder := strings.ToUpper(cmp.Or(schema.Owner, schema.Name))
	inOrder := []string{
		"1 RUNNING", "1 Monitor Thread", "1 CREATING " + builder + " SCHEMA", "1 CREATING TPCC TABLES", "1 Monitoring Workers...",
		"1 Workers: 1 Active 1 Done", "1 Workers: 0 Active 2 Done", "1 " + builder + " SCHEMA COMPLETE", "1 FINISHED SUCCESS",
	}
	if routines := map[string]string{"postgresql": "FUNCTIONS", "redis": "FUNCTIONS", "mariadb": "STORED PROCEDURES", "mysql": "STORED PROCEDURES"}[c.d.Name]; routines != "" {
		inOrder = slices.Insert(inOrder, len(inOrder)-2, "1 CREATING TPCC "+routines)
	}
	loaders := []string{"1 "}
	var said []string
	if byTwo {
		loaders = []string{"2 ", "3 "}
		said = []string{"2 Worker Thread", "3 Worker Thread", "2 FINISHED SUCCESS", "3 FINISHED SUCCESS"}
	} else {
		inOrder = slices.DeleteFunc(inOrder, func(line string) bool { return strings.Contains(line, "Monitor") || strings.Contains(line, "Workers") })
	}
	rest := got
	for _, line := range inOrder {
		at := slices.Index(rest, line)
		if at < 0 {
			c.t.Fatalf("got\n%s\nwant %q after the lines before it", strings.Join(got, "\n"), line)
		}
		rest = rest[at+1:]
	}
	if speaksSQL(c.d) {
		said = append(said, "1 GATHERING SCHEMA STATISTICS")
	}
	for _, line := range said {
		if !slices.Contains(got, line) {
			c.t.Errorf("got\n%s\nwant %q, too", strings.Join(got, "\n"), line)
		}
	}
	for _, text := range []string{"Loading Item", "Item done", "Loading Warehouse", "Stock done", "District done", "Customer Done", "Orders Done"} {
		times := 0
		for _, line := range got {
			if slices.ContainsFunc(loaders, func(user string) bool { return line == user+text }) {
				times++
			}
		}
		if times != 1 {
			c.t.Errorf("got\n%s\nwant %q once, of %q", strings.Join(got, "\n"), text, loaders)
		}
	}
}

// linesOfACheck are the lines of a check before its result: the four steps of HammerDB's check and
// eight more conditions.
func (c *subject) linesOfACheck() []string {
	lines := []string{"1 RUNNING", "1 Checking " + c.schema + " TPROC-C schema", "1 Check database", "1 Check tables and indices"}
	if code := map[string]string{"postgresql": "routines", "redis": "routines", "mariadb": "procedures", "mysql": "procedures"}[c.d.Name]; code != "" {
		lines = append(lines, "1 Check "+code)
	}
	for n := range 12 {
		lines = append(lines, fmt.Sprintf("1 Check consistency %d", n+1))
	}
	return lines
}

// findsEachBreak breaks each rule in a transaction and rolls it back. A check has just shown that
// all rules hold.
func (c *subject) findsEachBreak() {
	plan, s := c.plan(), c.session()
	defer s.Close()
	if !speaksSQL(c.d) {
		c.findsEachBreakByCommand(plan, s)
		return
	}
	for _, rule := range tprocc.Workload.Schema.Rules {
		q, err := plan.SQL.Query("check." + rule.Name)
		if err != nil {
			c.t.Fatal(err)
		}
		found := func() int {
			c.t.Helper()
			rows, err := s.Query(c.t.Context(), q.Text, 10)
			if err != nil {
				c.t.Fatalf("%s: %v", rule.Name, err)
			}
			return len(rows.Rows)
		}
		for _, step := range []func() error{
			func() error { return s.Begin(c.t.Context(), database.ReadWrite) },
			func() error { return s.Exec(c.t.Context(), breaks[rule.Name]) },
		} {
			if err := step(); err != nil {
				c.t.Fatalf("break %s by %q: %v", rule.Name, breaks[rule.Name], err)
			}
		}
		if n := found(); n == 0 {
			c.t.Errorf("%s seems to hold after %s", rule.Name, breaks[rule.Name])
		}
		if err := s.Rollback(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
	}
}

// findsEachBreakByCommand breaks each rule and undoes it. A check has just shown that all rules
// hold.
func (c *subject) findsEachBreakByCommand(plan plan.Plan, s database.Session) {
	var asked []string
	for _, rule := range tprocc.Workload.Schema.Rules {
		of := breaksByCommand[rule.Name]
		c.exec(s, of.breaks)
		defer c.exec(s, of.mends)
		q, err := plan.SQL.Query("check." + rule.Name)
		if err != nil {
			c.t.Fatal(err)
		}
		asked = append(asked, q.Text)
	}
	told := int64(0)
	if err := plan.Schema.Foresee(c.t.Context(), s, asked, func(done, total int64) { told = done }); err != nil || told == 0 {
		c.t.Errorf("got %v, and was told of %d keys", err, told)
	}
	for i, rule := range tprocc.Workload.Schema.Rules {
		of := breaksByCommand[rule.Name]
		found, err := s.Query(c.t.Context(), asked[i], 0)
		if !slices.ContainsFunc(found.Rows, func(row []string) bool {
			return strings.HasPrefix(strings.Join(row, " ")+" ", of.finds+" ")
		}) {
			c.t.Errorf("%s does not find %q after %s: %v, %v", rule.Name, of.finds, of.breaks, found, err)
		}
	}
}

// saysWhatIsBroken compares the lines of a check that fails: first on a rule that HammerDB does not
// have, then on one of HammerDB's. The lines are the same for all databases, so it runs on SQLite
// only.
func (c *subject) saysWhatIsBroken() {
	if c.d != sqlite.Database {
		return
	}
	s := c.session()
	defer s.Close()
	for _, test := range []struct{ breaks, mends, want string }{
		{"UPDATE item SET i_id = 200000 WHERE i_id = 5", "UPDATE item SET i_id = 5 WHERE i_id = 200000", "breaks the rule that there are 100,000 items"},
		{"UPDATE warehouse SET w_ytd = w_ytd + 1", "UPDATE warehouse SET w_ytd = w_ytd - 1", "consistency check 1 failed"},
	} {
		c.exec(s, test.breaks)
		c.says(job.Check, job.ExitCheck, append(c.linesOfACheck(),
			"Error in Virtual User 1: TPROC-C Schema check failed "+c.schema+" schema "+test.want, "1 FINISHED FAILED")...)
		c.exec(s, test.mends)
	}
}

// pays lets the customers of a district pay an amount. With sign 1 the balance grows by the amount,
// as in HammerDB's client SQL; with -1 it falls, as TPC-C requires. C_YTD_PAYMENT grows by counted
// times the amount.
func (c *subject) pays(s database.Session, customers string, amount float64, sign, counted int) {
	c.t.Helper()
	c.exec(s,
		fmt.Sprintf(`INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
			SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, c_since, %[1]g, 'test' FROM customer WHERE c_w_id = 1 AND c_d_id = 1 AND %[2]s`, amount, customers),
		fmt.Sprintf("UPDATE customer SET c_balance = c_balance + %g, c_ytd_payment = c_ytd_payment + %g WHERE c_w_id = 1 AND c_d_id = 1 AND %s",
			float64(sign)*amount, float64(counted)*amount, customers),
		"UPDATE district SET d_ytd = (SELECT SUM(h_amount) FROM history WHERE h_w_id = 1 AND h_d_id = 1) WHERE d_w_id = 1 AND d_id = 1",
		"UPDATE warehouse SET w_ytd = (SELECT SUM(h_amount) FROM history WHERE h_w_id = 1) WHERE w_id = 1",
	)
}

// namesWhatHammerDBsClientLeaves makes payments as HammerDB's client SQL does, and verifies that a
// check names them as the cause of two broken conditions.
func (c *subject) namesWhatHammerDBsClientLeaves() {
	s := c.session()
	defer s.Close()
	const known = "HammerDB's client SQL (no_stored_procs) adds payments to C_BALANCE"
	finds := func(want string, conditions ...string) {
		c.t.Helper()
		result, err := local.Do(c.t.Context(), c.spec(job.Check), job.Control{})
		if job.ExitOf(err) != job.ExitCheck {
			c.t.Errorf("got %v, want the check to fail in spite of the explanation", err)
		}
		for _, f := range result.Findings {
			switch {
			case f.Rule != "consistency_10" && f.Rule != "consistency_12":
				if !f.Holds {
					c.t.Errorf("%s is broken, too: %v", f.Rule, f.Rows)
				}
			case f.Holds || f.Excuse != "":
				c.t.Errorf("%s: got holds %t, excuse %q, want that it is broken", f.Rule, f.Holds, f.Excuse)
			case slices.Contains(conditions, f.Rule) && !strings.HasPrefix(f.Cause, want) || want != "" && !strings.Contains(f.Cause, known) || want == "" && f.Cause != "":
				c.t.Errorf("%s: got the cause %q, want %q", f.Rule, f.Cause, want)
			}
		}
	}
	// A check reads the whole schema, so only one database checks after every step.
	everyStep := c.d == sqlite.Database

	// 20 customers pay twice to HammerDB's client, and half of them have paid to Sledge, too.
	c.pays(s, "c_id <= 10", 12.34, -1, 1)
	c.pays(s, "c_id <= 20", 4321, 1, 1)
	c.pays(s, "c_id <= 20", 10, 1, 1)
	if everyStep {
		finds("explained for all 20 rows that break it: ", "consistency_10", "consistency_12")
	}

	// Two others have paid to a client that does not count payments.
	c.pays(s, "c_id > 2998", 99, 1, 0)
	if everyStep {
		finds("explained for all 22 rows that break it: ", "consistency_12")
	}

	// The balance of one more customer is wrong for another reason.
	c.exec(s, "UPDATE customer SET c_balance = c_balance - 1 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 100")
	finds("explained for 22 of the 23 rows that break it: ", "consistency_10")

	// Undo all but the last, which has no known cause.
	c.exec(s,
		"DELETE FROM history WHERE h_data = 'test' AND h_amount <> 12.34",
		"UPDATE customer SET c_balance = c_balance - 4331, c_ytd_payment = c_ytd_payment - 4331 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id <= 20",
		"UPDATE customer SET c_balance = c_balance - 99 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id > 2998",
		"UPDATE district SET d_ytd = (SELECT SUM(h_amount) FROM history WHERE h_w_id = 1 AND h_d_id = 1) WHERE d_w_id = 1 AND d_id = 1",
		"UPDATE warehouse SET w_ytd = (SELECT SUM(h_amount) FROM history WHERE h_w_id = 1) WHERE w_id = 1",
	)
	if everyStep {
		finds("", "consistency_10")
	}
	c.exec(s, "UPDATE customer SET c_balance = c_balance + 1 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 100")
}

func (c *subject) exec(s database.Session, statements ...string) {
	c.t.Helper()
	for _, statement := range statements {
		if err := s.Exec(c.t.Context(), statement); err != nil {
			c.t.Fatalf("%s: %v", statement, err)
		}
	}
}
