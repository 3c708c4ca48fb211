package sqlserver_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/database/sqlserver"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/grammartest"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// Test runs if SLEDGE_TEST_SQLSERVER names a server.
func Test(t *testing.T) {
	databasetest.Run(t, sqlserver.Database, testserver.Open(t, "sqlserver").Values())
}

// lines are rows of load text.
type lines []string

func (l *lines) AppendRow(buf []byte) ([]byte, bool) {
	if len(*l) == 0 {
		return buf, false
	}
	buf = append(append(buf, (*l)[0]...), '\n')
	*l = (*l)[1:]
	return buf, true
}

// If the last token is in two packets, Babelfish takes the second packet for another request.
func TestServer_AcceptsCopiesThatEndAnywhereInPacket(t *testing.T) {
	values := option.Values(testserver.Open(t, "sqlserver").Values())
	o := sqlserver.Database.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, values, o); err != nil {
		t.Fatal(err)
	}
	s, err := sqlserver.Database.Sessions.Connect(t.Context(), o, database.Builder)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	table := schema.Table{Name: "sledge_copied", Columns: []schema.Column{{Name: "price", Type: schema.Decimal, Size: 12, Scale: 2}, {Name: "words", Type: schema.Varchar, Size: 4000}}}
	if err := s.Exec(t.Context(), "DROP TABLE IF EXISTS sledge_copied"); err != nil {
		t.Fatal(err)
	}
	if err := s.Exec(t.Context(), "CREATE TABLE sledge_copied (price decimal(12,2) NOT NULL, words varchar(4000) NOT NULL)"); err != nil {
		t.Fatal(err)
	}
	// Two rows of 4,000 letters, and one that brings the message past the end of a packet of 16,380
	// bytes. Babelfish gets text as nvarchar. Other servers get varchar, with which the message
	// stays within the packet.
	for n := range 80 {
		rows := lines{"-12.34\t" + strings.Repeat("x", 4000), "0.05\t" + strings.Repeat("y", 4000), fmt.Sprintf("%d.00\t%s", n, strings.Repeat("z", 50+n))}
		if loaded, err := s.Load(t.Context(), table, &rows); err != nil || loaded != 3 {
			t.Fatalf("%d letters: got %d rows, %v", 50+n, loaded, err)
		}
	}
	got, err := s.Query(t.Context(), "SELECT COUNT(*), SUM(price) FROM sledge_copied", 1)
	if err != nil || len(got.Rows) != 1 || got.Rows[0][0] != "240" || got.Rows[0][1] != "2176.80" {
		t.Errorf("got %v, %v, want 240 rows and a sum of 2176.80", got.Rows, err)
	}
	if err := s.Exec(t.Context(), "DROP TABLE sledge_copied"); err != nil {
		t.Error(err)
	}
}

// The server counts batches, and with client SQL a transaction has many of them.
func TestClientSQL_IsNotCountedByServer(t *testing.T) {
	for value, want := range map[string]string{"false": "", "true": "SQL Server counts batches, and each statement from the client is one"} {
		spec := job.Spec{Action: job.Run, Database: "sqlserver", Workload: "tprocc", Users: 4, Options: option.Values{"client_sql": value}}
		plan, err := engine.Local{Catalog: edition.Catalog}.Plan(spec)
		if err != nil || plan.Uncounted != want || (plan.Server.Counter == nil) != (want != "") {
			t.Errorf("client_sql %s: got %q, %v, a counter: %v", value, plan.Uncounted, err, plan.Server.Counter != nil)
		}
	}
}

// A table must be partitioned when it is created, because a columnstore index cannot partition it
// later.
func TestSchema_PartitionsTablesBeforeIndexes(t *testing.T) {
	statements := grammartest.Statements(t, sqlserver.Database, nil, option.Values{"columnstore": "true", "partition_by_date": "true"})
	divided := map[string]bool{}
	for _, s := range statements {
		if table, column, is := strings.Cut(s.Text, " ON date_scheme ("); is {
			name, _, isTable := strings.Cut(strings.TrimPrefix(table[strings.LastIndex(table, "CREATE "):], "CREATE TABLE dbo."), " (")
			if !isTable || !strings.Contains(table, "CREATE TABLE") {
				t.Errorf("an index partitions its table: %s", s.Text)
			}
			divided[name+" by "+strings.TrimRight(column, ")\n")] = true
		}
	}
	if want := map[string]bool{"lineitem by l_shipdate": true, "orders by o_orderdate": true}; !maps.Equal(divided, want) {
		t.Errorf("got %v, want %v", divided, want)
	}
}

// Bulk copy accepts a value only in the form for its column's type, such as money as text, and a
// text only up to the column's length. A missing value or NULL becomes the column's default.
func TestSchema_ColumnsFitLoadedValues(t *testing.T) {
	takes := map[string][]schema.Type{
		"tinyint": {schema.SmallInteger, schema.Integer}, "smallint": {schema.SmallInteger, schema.Integer}, "int": {schema.SmallInteger, schema.Integer, schema.BigInteger},
		"bigint": {schema.SmallInteger, schema.Integer, schema.BigInteger}, "money": {schema.Decimal}, "smallmoney": {schema.Decimal}, "decimal": {schema.Decimal},
		"char": {schema.Char, schema.Varchar}, "varchar": {schema.Char, schema.Varchar}, "datetime": {schema.Timestamp}, "date": {schema.Date},
	}
	column := regexp.MustCompile(`(?m)^\s+(\w+)\s+(\w+)(?:\((\d+)(?:,(\d+))?\))?(.*)`)
	for pair := range edition.Catalog.Pairs() {
		if pair.Database != sqlserver.Database {
			continue
		}
		plan, err := plan.New(pair, job.Spec{Action: job.Build, Database: "sqlserver", Workload: pair.Workload.Name})
		if err != nil {
			t.Fatal(err)
		}
		statements, err := plan.CreateStatements()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(statements, "\n")
		for _, table := range pair.Workload.Schema.Tables(plan.Settings, 1) {
			_, body, found := strings.Cut(text, "CREATE TABLE dbo."+table.Name+" (\n")
			if !found {
				t.Fatalf("there is no table %s", table.Name)
			}
			body, _, _ = strings.Cut(body, "\n)")
			made := map[string][]string{}
			for _, m := range column.FindAllStringSubmatch(body, -1) {
				made[m[1]] = m[2:]
			}
			for _, c := range table.Columns {
				is := made[c.Name]
				if is == nil {
					t.Errorf("%s has no column %s", table.Name, c.Name)
					continue
				}
				size, _ := strconv.Atoi(is[1]) // 0 if the type has no size
				if !slices.Contains(takes[is[0]], c.Type) || size < c.Size && strings.Contains(is[0], "char") {
					t.Errorf("%s.%s is %v, which cannot hold type %v of size %d", table.Name, c.Name, is, c.Type, c.Size)
				}
				if strings.Contains(is[3], "DEFAULT") {
					t.Errorf("%s.%s is loaded and has a default", table.Name, c.Name)
				}
			}
		}
	}
}
