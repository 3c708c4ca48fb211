package tprocc_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
)

// TestForeignObjects_InADatabase puts objects into a new database on every server, and verifies how
// build, check, run and delete treat them.
func TestForeignObjects_InADatabase(t *testing.T) {
	const buildLog = "CREATE TABLE sledge_build (entry VARCHAR(200) NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (entry, chunk))"
	identity := func(of string) string { return "INSERT INTO sledge_build VALUES ('" + of + "', -1)" }
	const begun = "tprocc: 1 warehouses, seed 1, load time 2000-01-01 00:00:00"
	cases := []struct {
		name   string
		only   string   // the databases that have it; all when empty
		tables []string // of TPROC-C; "all" is all of them
		more   []string // statements

		exits [4]job.Exit // of build, check, run and delete, in this order
		says  []string    // in the error of each that refuses
		left  []string    // queries on foreign objects that must still work after all actions
		stays string      // why the database stays, as delete reports it; "" if it is dropped or delete refuses
	}{
		{
			name: "foreign tables with our names", exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"CREATE TABLE customer (id INTEGER, name VARCHAR(20))", "CREATE TABLE orders (id INTEGER)", "INSERT INTO orders VALUES (42)"},
			says: []string{"table customer (lacks c_id, ", "table orders (lacks o_id, ", "othing was changed"},
			left: []string{"SELECT name FROM customer", "SELECT id FROM orders WHERE id = 42"},
		},
		{
			name: "a view by one of our names", exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"CREATE TABLE people (id INTEGER)", "CREATE VIEW customer AS SELECT id FROM people"},
			says: []string{"view customer (not a table)"}, left: []string{"SELECT id FROM customer"},
		},
		{
			name: "a part of a schema", tables: []string{"customer", "orders"}, exits: [4]job.Exit{7, 7, 7, 7},
			says: []string{"customer, orders", "stock", "drop them yourself"}, left: []string{"SELECT c_id FROM customer", "SELECT o_id FROM orders"},
		},
		{
			name: "all tables but that one has no c_data", tables: []string{"all"}, exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"ALTER TABLE customer DROP COLUMN c_data"},
			says: []string{"table customer (lacks c_data)"}, left: []string{"SELECT c_id FROM customer", "SELECT i_id FROM item"},
		},
		{
			name: "a foreign table with the build log's name", exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"CREATE TABLE sledge_build (id INTEGER)"}, says: []string{"table sledge_build (lacks entry, chunk)"},
			left: []string{"SELECT id FROM sledge_build"},
		},
		{
			name: "a build log of another workload", tables: []string{"orders"}, exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{buildLog, identity("tproch: scale factor 1")}, says: []string{"sledge_build, which belongs to no build of TPROC-C"},
			left: []string{"SELECT entry FROM sledge_build", "SELECT o_id FROM orders"},
		},
		{
			name: "a build log with other contents", exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"CREATE TABLE sledge_build (entry VARCHAR(20), chunk VARCHAR(20))", "INSERT INTO sledge_build VALUES ('nuts', 'bolts')"},
			says: []string{"sledge_build"}, left: []string{"SELECT entry FROM sledge_build WHERE chunk = 'bolts'"},
		},
		{
			name: "our build log beside a foreign customer", tables: []string{"orders"}, exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{buildLog, identity(begun), "CREATE TABLE customer (id INTEGER)"}, says: []string{"table customer (lacks c_id"},
			left: []string{"SELECT entry FROM sledge_build", "SELECT id FROM customer", "SELECT o_id FROM orders"},
		},
		{
			name: "an empty build log beside a table", tables: []string{"orders"}, exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{buildLog}, says: []string{"sledge_build"}, left: []string{"SELECT o_id FROM orders"},
		},
		{name: "a build that was interrupted among its tables", tables: []string{"customer", "orders"}, more: []string{buildLog, identity(begun)}, exits: [4]job.Exit{7, 7, 7, 0}},
		{name: "a build that was interrupted at once", more: []string{buildLog}, exits: [4]job.Exit{7, 7, 7, 0}},
		{
			name: "a build that was interrupted beside other tables", tables: []string{"item"}, exits: [4]job.Exit{7, 7, 7, 0},
			more: []string{buildLog, identity(begun), "CREATE TABLE parts (id INTEGER)"}, left: []string{"SELECT id FROM parts"}, stays: "it also holds table parts",
		},
		{
			name: "a schema with columns of its builder's own", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"ALTER TABLE history ADD COLUMN nr INTEGER", "ALTER TABLE orders ADD COLUMN note VARCHAR(10)"},
		},
		{
			name: "a schema beside foreign tables", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"CREATE TABLE customers (id INTEGER)", "INSERT INTO customers VALUES (1)", "CREATE VIEW clients AS SELECT id FROM customers"},
			left: []string{"SELECT id FROM clients WHERE id = 1"}, stays: "it also holds table customers, view clients",
		},
		{
			name: "a schema with a view upon it", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 7},
			more: []string{"CREATE VIEW debtors AS SELECT c_last, c_balance FROM customer WHERE c_balance < 0"},
			says: []string{"view debtors (on customer)"}, left: []string{"SELECT c_last FROM debtors", "SELECT i_id FROM item"},
		},
		{
			name: "a schema with a foreign key upon it", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 7},
			more: []string{"CREATE UNIQUE INDEX numbers ON item (i_id)", "CREATE TABLE reviews (item INTEGER, CONSTRAINT reviewed FOREIGN KEY (item) REFERENCES item (i_id))"},
			says: []string{"table reviews (on item)"}, left: []string{"SELECT item FROM reviews", "SELECT i_id FROM item"},
		},
		{
			name: "a schema with a trigger upon it", only: "sqlite mariadb mysql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 7},
			more: []string{"CREATE TABLE log (id INTEGER)", "CREATE TRIGGER spy AFTER INSERT ON orders FOR EACH ROW BEGIN INSERT INTO log VALUES (1); END"},
			says: []string{"trigger spy (on orders)"}, left: []string{"SELECT o_id FROM orders"},
		},
		{
			name: "a schema with a trigger upon it", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 7},
			more: []string{
				"CREATE FUNCTION spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
				"CREATE TRIGGER spy AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION spy()",
			},
			says: []string{"trigger spy on table orders (on orders)"}, left: []string{"SELECT o_id FROM orders"},
		},
		{
			name: "a schema with a function and a child upon it", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 7},
			more: []string{
				"CREATE FUNCTION rich(customer) RETURNS boolean LANGUAGE sql AS 'SELECT $1.c_balance > 0'",
				"CREATE TABLE old_orders () INHERITS (orders)",
			},
			says: []string{"function rich(customer) (on customer)", "table old_orders (on orders)"}, left: []string{"SELECT rich(c) FROM customer c", "SELECT o_id FROM old_orders"},
		},
		{
			name: "a schema with keys among its tables", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"ALTER TABLE item ADD PRIMARY KEY (i_id)", "ALTER TABLE stock ADD FOREIGN KEY (s_i_id) REFERENCES item (i_id)"},
		},
		{
			name: "a schema beside routines by our names", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{
				"CREATE FUNCTION payment(integer) RETURNS integer LANGUAGE sql AS 'SELECT 7'", "CREATE FUNCTION delivery(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 8'",
				"CREATE FUNCTION slev(st_w_id integer, st_d_id integer, threshold integer) RETURNS integer LANGUAGE sql AS '/* made by Sledge */ SELECT 1'",
			},
			left: []string{"SELECT payment(1) + 0 WHERE payment(1) = 7", "SELECT delivery(1, 1)"}, stays: "it also holds function delivery(integer,integer), function payment(integer)",
		},
		{
			name: "a schema with all of HammerDB's functions", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{
				"CREATE FUNCTION neword(integer, integer, integer, integer, integer, integer) RETURNS numeric LANGUAGE sql AS 'SELECT 1.0'",
				"CREATE FUNCTION payment(integer, integer, integer, integer, integer, integer, numeric, varchar, varchar, numeric) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
				"CREATE FUNCTION delivery(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'", "CREATE FUNCTION slev(integer, integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
				"CREATE FUNCTION ostat(integer, integer, integer, integer, varchar) RETURNS SETOF record LANGUAGE sql AS 'SELECT 1'", "CREATE FUNCTION dbms_random(integer, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
			},
		},
		{
			name: "a procedure by one of our names", only: "mariadb mysql", exits: [4]job.Exit{7, 8, 8, 8},
			more: []string{"CREATE PROCEDURE payment(IN amount INT) BEGIN SELECT amount; END"}, says: []string{"procedure `payment`"}, left: []string{"SELECT 1 FROM information_schema.routines WHERE routine_schema = DATABASE()"},
		},
		{
			name: "a schema beside a procedure by one of our names", only: "mariadb mysql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"CREATE PROCEDURE payment(IN amount INT) BEGIN SELECT amount; END"}, left: []string{"SELECT 1 FROM information_schema.routines WHERE routine_schema = DATABASE()"},
			stays: "it also holds procedure payment",
		},
		{
			name: "a schema beside an event", only: "mariadb mysql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO SELECT 1"}, left: []string{"SELECT 1 FROM information_schema.events WHERE event_schema = DATABASE()"}, stays: "it also holds event nightly",
		},
		{
			name: "tables by our names in capitals", only: "mariadb mysql", exits: [4]job.Exit{-1, 8, 8, 8},
			more: []string{"CREATE TABLE CUSTOMER (id INTEGER)"}, left: []string{"SELECT id FROM CUSTOMER"},
		},
		{
			name: "tables by our names in quoted capitals", only: "postgresql", exits: [4]job.Exit{-1, 8, 8, 8},
			more: []string{`CREATE TABLE "CUSTOMER" (id INTEGER)`, `CREATE TABLE "Orders" (id INTEGER)`}, left: []string{`SELECT id FROM "CUSTOMER"`, `SELECT id FROM "Orders"`},
		},
		{
			name: "a sequence, an index and a type by our names", only: "postgresql", exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"CREATE TABLE parts (id INTEGER)", "CREATE INDEX orders ON parts (id)", "CREATE SEQUENCE stock", "CREATE TYPE item AS ENUM ('a')"},
			says: []string{"index orders (not a table)", "sequence stock (not a table)", "type item (not a table)"}, left: []string{"SELECT nextval('stock')"},
		},
		{
			name: "a schema beside all kinds of things", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more:  []string{"CREATE SCHEMA app", "CREATE TABLE app.customer (id INTEGER)", "CREATE SEQUENCE tickets", "CREATE TYPE mood AS ENUM ('good')", "SELECT lo_create(0)", "CREATE DOMAIN label AS text"},
			left:  []string{"SELECT id FROM app.customer", "SELECT nextval('tickets')", "SELECT 'good'::mood", "SELECT oid FROM pg_largeobject_metadata"},
			stays: "it also holds large objects (1), schema app, sequence tickets, table app.customer, type label, type mood",
		},
		{
			name: "a customer in another schema of the search path", only: "postgresql", exits: [4]job.Exit{7, 7, 7, 7},
			more: []string{"CREATE SCHEMA AUTHORIZATION CURRENT_USER", "CREATE TABLE public.customer (id INTEGER)"}, says: []string{"table customer (lacks c_id"}, left: []string{"SELECT id FROM customer"},
		},
		{
			name: "a schema whose order lines are partitioned", only: "postgresql", tables: []string{"all but order_line"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{
				"CREATE TABLE order_line (ol_o_id integer, ol_d_id smallint, ol_w_id integer, ol_number smallint, ol_i_id integer, ol_delivery_d timestamptz, ol_amount numeric, ol_supply_w_id integer, ol_quantity smallint, ol_dist_info char(24)) PARTITION BY HASH (ol_w_id)",
				"CREATE TABLE ol_0 PARTITION OF order_line FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
			},
		},
		{
			name: "a schema with a serial column", only: "postgresql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"ALTER TABLE history ADD COLUMN id bigserial PRIMARY KEY", "CREATE STATISTICS guess ON c_state, c_zip FROM customer"},
		},
		{
			name: "a schema with a view and a key of another database upon it", only: "mariadb mysql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 7},
			more: []string{
				"CREATE DATABASE IF NOT EXISTS sledge_elsewhere", "CREATE OR REPLACE VIEW sledge_elsewhere.debtors AS SELECT c_last FROM customer",
				"CREATE TABLE sledge_elsewhere.reviews (item INT, CONSTRAINT reviewed FOREIGN KEY (item) REFERENCES {DB}.item (i_id))",
			},
			says: []string{"view sledge_elsewhere.debtors (on customer)", "foreign key reviewed of table sledge_elsewhere.reviews (on item)"},
			left: []string{"SELECT c_last FROM sledge_elsewhere.debtors", "SELECT i_id FROM item"},
		},
		{
			name: "another program's table", only: "sqlite", exits: [4]job.Exit{7, 8, 8, 8},
			more: []string{"CREATE TABLE bookmarks (url TEXT)"}, says: []string{"table bookmarks"}, left: []string{"SELECT url FROM bookmarks"},
		},
		{
			name: "another program's empty file", only: "sqlite", exits: [4]job.Exit{7, 8, 8, 8},
			more: []string{"PRAGMA application_id = 77"}, says: []string{"the mark of another program"}, left: []string{"SELECT 1 FROM pragma_application_id WHERE application_id = 77"},
		},
		{
			name: "a view that only names what ours are like", only: "sqlite", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"CREATE TABLE items_sold (id INTEGER)", "CREATE VIEW item_view AS SELECT id AS customer_id FROM items_sold"},
			left: []string{"SELECT customer_id FROM item_view"}, stays: "it also holds table items_sold, view item_view",
		},
		{name: "nothing but what a build made", exits: [4]job.Exit{-1, 8, 8, 0}},
		{
			name: "a schema in a copy of what a build made", only: "sqlite mariadb mysql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"UPDATE sledge_created SET name = 'another'"}, left: []string{"SELECT name FROM sledge_created"}, stays: "stays: nothing shows that a build created it; if nothing needs it, drop it with ",
		},
		{
			name: "a schema in what no build made", only: "sqlite mariadb mysql", tables: []string{"all"}, exits: [4]job.Exit{7, -1, -1, 0},
			more: []string{"DROP TABLE sledge_created"}, stays: "stays: nothing shows that a build created it; if nothing needs it, drop it with ",
		},
	}
	for _, d := range edition.Catalog.Databases {
		if !speaksSQL(d) { // its own package tests this
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			workloadtest.Related(t, d.Name)
			t.Parallel() // each is on a server of its own
			server := workloadtest.Server(t, d, "")
			for i, c := range cases {
				if c.only != "" && !slices.Contains(strings.Fields(c.only), d.Name) {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					p := newPlace(t, d, server, fmt.Sprintf("sledge_standing_%d", i))
					p.fill(t, c.tables, c.more)
					for n, action := range []job.Action{job.Build, job.Check, job.Run, job.Delete} {
						if c.exits[n] < 0 {
							continue // the action would succeed, which other tests cover
						}
						lines, err := p.do(t, action)
						if got := job.ExitOf(err); got != c.exits[n] {
							t.Errorf("%s: got %v with exit code %d, want %d: %q", action, err, got, c.exits[n], lines)
						}
						refuses := action == job.Delete || c.tables == nil || c.tables[0] != "all" || c.exits[1] == 7
						for _, want := range c.says {
							if err != nil && job.ExitOf(err) == job.ExitExists && refuses && !strings.Contains(err.Error(), want) {
								t.Errorf("%s: got %v, want it to say %q", action, err, want)
							}
						}
						if action == job.Delete && err == nil {
							p.went(t, lines, c.stays)
						}
					}
					if len(c.left) == 0 {
						return
					}
					s := p.connect(t)
					defer s.Close()
					for _, query := range c.left {
						if _, err := s.Query(t.Context(), query, 0); err != nil {
							t.Errorf("%s: %v", query, err)
						}
					}
				})
			}
		})
	}
}

// place is a database for one test.
type place struct {
	d      *database.Database
	values option.Values
}

func newPlace(t *testing.T, d *database.Database, server option.Values, name string) *place {
	p := &place{d: d, values: server.Clone()}
	if d.Embedded() {
		p.values["file"] = filepath.Join(t.TempDir(), name+".db")
	} else {
		p.values["dbname"] = name
	}
	if d.Name == "postgresql" {
		p.values["user"] = name
	}
	plan := p.plan(t)
	if err := d.Container.Create(t.Context(), plan.Connection, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if d.Name == "mariadb" || d.Name == "mysql" {
			p.dropElsewhere(t)
		}
		if _, err := d.Container.Drop(context.Background(), plan.Connection, database.DropOptions{Builder: "this test"}); err != nil {
			t.Error(err)
		}
	})
	return p
}

// dropElsewhere drops the other database that a test created.
func (p *place) dropElsewhere(t *testing.T) {
	s, err := p.d.Sessions.Connect(context.Background(), p.plan(t).Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Exec(context.Background(), "DROP DATABASE IF EXISTS sledge_elsewhere"); err != nil {
		t.Error(err)
	}
}

func (p *place) spec(action job.Action) job.Spec {
	return job.Spec{Action: action, Database: p.d.Name, Workload: "tprocc", Seed: 1, Options: p.values}
}

func (p *place) plan(t *testing.T) plan.Plan {
	t.Helper()
	plan, err := local.Plan(p.spec(job.Check))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func (p *place) connect(t *testing.T) database.Session {
	t.Helper()
	s, err := p.d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill creates tables of TPROC-C without rows, then runs more statements.
func (p *place) fill(t *testing.T, tables, more []string) {
	t.Helper()
	s := p.connect(t)
	defer s.Close()
	statements, err := p.plan(t).CreateStatements()
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		name := strings.Fields(statement[strings.Index(statement, "CREATE TABLE ")+len("CREATE TABLE "):])[0]
		if len(tables) > 0 && (tables[0] == "all" || tables[0] == "all but order_line" && name != "order_line" || slices.Contains(tables, name)) {
			more = append([]string{statement}, more...)
		}
	}
	for _, statement := range more {
		statement = strings.ReplaceAll(statement, "{DB}", p.values["dbname"])
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%v\n%s", err, statement)
		}
	}
}

// do runs a job and returns its lines.
func (p *place) do(t *testing.T, action job.Action) ([]string, error) {
	heard := newSaid(action, p.d)
	_, err := local.Do(t.Context(), p.spec(action), job.Control{Watchers: []job.Watcher{heard}})
	return heard.lines, err
}

// went verifies that a delete dropped what it reports.
func (p *place) went(t *testing.T, lines []string, stays string) {
	t.Helper()
	kind, all := "database", strings.Join(lines, "\n")
	if p.d.Embedded() {
		kind = "file"
	}
	s, err := p.d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Owner)
	if err == nil {
		defer s.Close()
	}
	if stays == "" {
		if err == nil || !strings.Contains(all, "the "+kind+" ") || strings.Contains(all, "stays") {
			t.Errorf("got %q, and %v when connecting to it, want the %s to be dropped and reported", lines, err, kind)
		}
		return
	}
	if err != nil {
		t.Errorf("the %s is gone: %v", kind, err)
	} else if _, err := s.Query(t.Context(), "SELECT 1 FROM item", 1); err == nil {
		t.Error("the tables are still there")
	}
	if !strings.Contains(all, stays) || strings.Contains(all, "the "+kind) && strings.Contains(all, "Dropped") && strings.Contains(all, ", the "+kind) {
		t.Errorf("got %q, want them to say %q", lines, stays)
	}
}
