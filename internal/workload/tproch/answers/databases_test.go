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
	names   map[string]string // of tables that are called otherwise
}

// foreign says how others make the tables. The zero value is how we do.
type foreign struct {
	database string // that they are in
	types    *strings.Replacer
	names    map[string]string
}

// Some have nothing but numbers without bounds and times instead of dates, others names in
// capitals, which MySQL tells from small letters where the file system does.
var (
	plainTypes = foreign{database: "plaintypes", types: strings.NewReplacer("INTEGER", "NUMERIC", "BIGINT", "NUMERIC", "DECIMAL(15,2)", "NUMERIC", "DATE", "TIMESTAMP")}
	capitals   = foreign{database: "capitals", names: map[string]string{
		"region": "REGION", "nation": "NATION", "supplier": "SUPPLIER", "customer": "CUSTOMER",
		"part": "PART", "partsupp": "PARTSUPP", "orders": "ORDERS", "lineitem": "LINEITEM",
	}}
)

// load makes the tables on a server of that database, or skips the test where there is none,
// as where the database is not in this build.
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
			into.Columns = append(into.Columns, schema.Column{Name: c.Name, Type: schema.Varchar}) // of which databases make what they keep
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

// question is a query that is asked with some parameters.
type question struct {
	file     string // of its text
	with     string // which parameters
	literals map[string]string
	answer   Answer
}

// String says which question it is.
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

// scaleVariable names the scale at which databases are compared with three seeds, and not at
// 0.01 with one.
const scaleVariable = "SLEDGE_TEST_TPROCH_SCALE"

// findsNothing are the queries of the cloud analytic set that ask for what is not in the data.
var findsNothing = []string{"cloud05", "cloud08", "cloud09", "cloud10", "cloud11"}

// The databases have nothing in common but the data and, as good as, the texts of the
// queries: what all of them answer alike is what the queries ask.
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
			t.Errorf("%s: finds something at scale %g: %t; where all find nothing, to compare it proves nothing", q.file, scale, finds[q.file])
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

// publishedVariable lists databases to ask at scale 1, which takes minutes and gigabytes.
const publishedVariable = "SLEDGE_TEST_TPROCH_PUBLISHED"

func TestDatabasesGiveThePublishedAnswers(t *testing.T) {
	names := os.Getenv(publishedVariable)
	if names == "" {
		t.Skipf("at scale 1, a database needs minutes and gigabytes: list those to ask in %s", publishedVariable)
	}
	for name := range strings.SplitSeq(names, ",") {
		t.Run(name, func(t *testing.T) {
			l := load(t, name, 1, foreign{database: "published"})
			for i, q := range validated(1) {
				tolerance := Published
				if q.file == "q17" {
					tolerance.Absolute = 0.04 // exactly it is 2438842.38 / 7, which is 348406.054; 348406.02 was published
				}
				if err := q.answer.Compare(l.ask(t, q), published(t, i+1), tolerance); err != nil {
					t.Errorf("%s: %v", q, err)
				}
			}
		})
	}
}
