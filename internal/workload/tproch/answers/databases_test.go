package answers

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
	"sledge/internal/workload/tproch/dbgen"
	"sledge/internal/workload/tproch/qgen"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// loaded is a database that has TPC-H's tables, and the texts of the queries for it.
type loaded struct {
	session database.Session
	sql     *sqlfile.Library
	scale   float64
	names   map[string]string // of tables with other names
}

// foreign describes tables as other programs create them. The zero value describes ours.
type foreign struct {
	database string // that contains the tables
	types    *strings.Replacer
	names    map[string]string
}

// Two foreign schemas. plainTypes has numbers without a precision, and timestamps instead of dates.
// capitals has names in capitals, which MySQL distinguishes from lower case if the file system
// does.
var (
	plainTypes = foreign{database: "plaintypes", types: strings.NewReplacer("INTEGER", "NUMERIC", "BIGINT", "NUMERIC", "DECIMAL(15,2)", "NUMERIC", "DATE", "TIMESTAMP")}
	capitals   = foreign{database: "capitals", names: map[string]string{
		"region": "REGION", "nation": "NATION", "supplier": "SUPPLIER", "customer": "CUSTOMER",
		"part": "PART", "partsupp": "PARTSUPP", "orders": "ORDERS", "lineitem": "LINEITEM",
	}}
)

// load makes the tables on a server of that database. It skips the test if this build lacks the
// database, or if there is no server.
func load(t *testing.T, name string, scale float64, as foreign) loaded {
	t.Helper()
	for _, absent := range edition.Catalog.Absent {
		if absent.Name == name {
			t.Skip(absent.Absent)
		}
	}
	d, err := edition.Catalog.Database(name)
	if err != nil {
		t.Fatal(err)
	}
	values := option.Values{}
	if d.Embedded() {
		values["file"] = filepath.Join(t.TempDir(), "test.db")
	} else {
		values = testserver.Open(t, name).Values()
	}
	options := d.Options.New(database.Use{Name: cmp.Or(as.database, "answers")})
	if err := option.Bind(option.Names{}, values, options); err != nil {
		t.Fatal(err)
	}
	if err := d.Container.Create(t.Context(), options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	session, err := d.Sessions.Connect(t.Context(), options, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })

	var places []sqlfile.Place
	for base := d; base != nil; base = base.Base {
		places = append(places, sqlfile.Place{Files: os.DirFS(".."), Dir: "sql/" + base.Name}, sqlfile.Place{Files: os.DirFS("testdata"), Dir: base.Name})
	}
	places = append(places, sqlfile.Place{Files: os.DirFS(".."), Dir: "sql/ansi"}, sqlfile.Place{Files: os.DirFS("."), Dir: "testdata"})
	sql, err := sqlfile.NewLibrary(d.Dialect.Placeholder, places...)
	if err != nil {
		t.Fatal(err)
	}
	l := loaded{session, sql, scale, as.names}
	l.run(t, "schema.tables", as.types)
	l.fill(t)
	l.run(t, "schema.indexes", nil)
	l.run(t, "schema.statistics", nil)
	return l
}

// run executes a script, with other types.
func (l loaded) run(t *testing.T, script string, types *strings.Replacer) {
	t.Helper()
	statements, err := l.sql.Script(script, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if types != nil {
			s = types.Replace(s)
		}
		s = sqlfile.Rename(s, l.names)
		if err := l.session.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// fill loads the rows of all tables.
func (l loaded) fill(t *testing.T) {
	t.Helper()
	scale, err := dbgen.NewScale(l.scale)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range dbgen.Tables {
		into := schema.Table{Name: sqlfile.Rename(table.String(), l.names)}
		for _, c := range table.Columns() {
			into.Columns = append(into.Columns, schema.Column{Name: c.Name, Type: schema.Varchar}) // databases convert the text to the types of their columns
		}
		if err := l.session.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		if _, err := l.session.Load(t.Context(), into, scale.Source(table, dbgen.LoadText, 1, scale.Count(table))); err != nil {
			t.Fatalf("load %s: %v", table, err)
		}
		if err := l.session.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// question is a query with parameters.
type question struct {
	file     string // with its text
	with     string // describes the parameters
	literals map[string]string
	answer   Answer
}

// String names the query and its parameters.
func (q question) String() string { return strings.TrimSpace(q.file + " " + q.with) }

// validated are the 22 queries with the standard's validation parameters.
func validated(scale float64) (all []question) {
	for query := 1; query <= qgen.Queries; query++ {
		all = append(all, question{fmt.Sprintf("q%02d", query), "", qgen.Validation(query, scale).Literals(), Of(query)})
	}
	return all
}

// ask returns the answer to a question.
func (l loaded) ask(t *testing.T, q question) [][]string {
	t.Helper()
	text, err := l.sql.Filled(q.file, q.literals)
	if err != nil {
		t.Fatal(err)
	}
	text = sqlfile.Rename(text, l.names)
	begin := time.Now()
	table, err := l.session.Query(t.Context(), text, 0)
	if err != nil {
		t.Fatalf("%s: %v\n%s", q, err, text)
	}
	if took := time.Since(begin); took > time.Second {
		t.Logf("%s took %s", q, took.Round(time.Millisecond))
	}
	for i, c := range q.answer.Columns {
		if i >= len(table.Columns) || !strings.EqualFold(table.Columns[i], c.Name) {
			t.Fatalf("%s: got the columns %q, want %s in place %d", q, table.Columns, c.Name, i+1)
		}
	}
	return table.Rows
}

// scaleVariable is the environment variable with a scale factor at which the test compares
// databases with three seeds. Without it, the test uses 0.01 and one seed.
const scaleVariable = "SLEDGE_TEST_TPROCH_SCALE"

// findsNothing lists the queries of the cloud analytic set that return no rows from the data.
var findsNothing = []string{"cloud05", "cloud08", "cloud09", "cloud10", "cloud11"}

// TestDatabasesGiveTheSameAnswers compares the answers of independent databases to nearly the same
// query texts on the same data. An answer that all of them give is taken as correct.
func TestDatabasesGiveTheSameAnswers(t *testing.T) {
	scale, seeds := 0.01, uint64(1)
	if text := os.Getenv(scaleVariable); text != "" {
		var err error
		if scale, err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatalf("%s: %v", scaleVariable, err)
		}
		seeds = 3
	}
	questions := validated(scale)
	for query := 1; query <= qgen.Queries; query++ {
		for seed := range seeds {
			g := qgen.Generator{Seed: seed + 1, Scale: scale}
			q := question{fmt.Sprintf("q%02d", query), fmt.Sprintf("with seed %d", g.Seed), g.Parameters(query).Literals(), Of(query)}
			questions = append(questions, q)
		}
	}
	for query := 1; query <= CloudQueries; query++ {
		questions = append(questions, question{fmt.Sprintf("cloud%02d", query), "", nil, OfCloud(query)})
	}

	reference := load(t, "sqlite", scale, foreign{})
	want := make([][][]string, len(questions))
	finds := map[string]bool{}
	for i, q := range questions {
		want[i] = reference.ask(t, q)
		if len(want[i]) > 0 && want[i][0][0] != "NULL" { // the sum of nothing
			finds[q.file] = true
		}
	}
	for _, q := range questions {
		if finds[q.file] == slices.Contains(findsNothing, q.file) {
			t.Errorf("%s: returns rows at scale %g: %t; if no database returns rows, the comparison proves nothing", q.file, scale, finds[q.file])
		}
	}
	for _, other := range []struct {
		name string
		as   foreign
	}{
		{"duckdb", foreign{}},
		{"postgresql", foreign{}},
		{"postgresql", plainTypes},
		{"mariadb", foreign{}},
		{"mysql", foreign{}},
		{"mysql", capitals},
	} {
		t.Run(other.name+other.as.database, func(t *testing.T) {
			l := load(t, other.name, scale, other.as)
			for i, q := range questions {
				if err := q.answer.Compare(l.ask(t, q), want[i], Computed); err != nil {
					t.Errorf("%s: %v", q, err)
				}
			}
		})
	}
}

// publishedVariable is the environment variable that lists databases to test at scale 1, which
// takes minutes and gigabytes.
const publishedVariable = "SLEDGE_TEST_TPROCH_PUBLISHED"

func TestDatabasesGiveThePublishedAnswers(t *testing.T) {
	names := os.Getenv(publishedVariable)
	if names == "" {
		t.Skipf("at scale 1, a database needs minutes and gigabytes: list the databases to test in %s", publishedVariable)
	}
	for name := range strings.SplitSeq(names, ",") {
		t.Run(name, func(t *testing.T) {
			l := load(t, name, 1, foreign{database: "published"})
			for i, q := range validated(1) {
				tolerance := Published
				if q.file == "q17" {
					tolerance.Absolute = 0.04 // the exact value is 2438842.38 / 7 = 348406.054, but the standard publishes 348406.02
				}
				if err := q.answer.Compare(l.ask(t, q), published(t, i+1), tolerance); err != nil {
					t.Errorf("%s: %v", q, err)
				}
			}
		})
	}
}
