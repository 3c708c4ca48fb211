package engine_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"sledge/internal/catalog"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// ofSQL matches keywords that occur only in SQL statements.
var ofSQL = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|TRUNCATE|FROM|WHERE|VALUES|COMMIT|ROLLBACK|GRANT)\b`)

func TestEngine_ContainsNoSQL(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literals := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				literals++
				if word := ofSQL.FindString(l.Value); word != "" {
					t.Errorf("%s: %s is SQL, which the engine must not contain: use database.Schema, database.Server or the workload's files",
						files.Position(l.Pos()), l.Value)
				}
			}
			return true
		})
	}
	if literals < 100 || !ofSQL.MatchString("DROP TABLE a") {
		t.Errorf("got %d string literals, want at least 100", literals)
	}
}

// rack is a database without SQL. It keeps the number of rows of each table.
type rack struct {
	mu       sync.Mutex
	rows     map[string]int // number of rows, by table
	ledger   []database.BuildLogLine
	building bool
	finished []string
	jams     string // table that cannot be loaded, or ""
}

// visit is a session of a rack. It holds the rows of a transaction until the commit.
type visit struct {
	*rack
	put  map[string]int
	line []database.BuildLogLine
}

var errJammed = errors.New("jammed")

func (v *visit) Prepare(context.Context, sqlfile.Query, any, any) (database.Statement, error) {
	return nil, errors.ErrUnsupported
}

// Exec takes one statement: "finish TABLE".
func (v *visit) Exec(_ context.Context, statement string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	table, ok := strings.CutPrefix(statement, "finish ")
	if !ok {
		return fmt.Errorf("%q is not a statement", statement)
	}
	v.finished = append(v.finished, table)
	return nil
}

// Query takes one query: "count TABLE".
func (v *visit) Query(_ context.Context, text string, _ int) (database.Table, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	table, ok := strings.CutPrefix(text, "count ")
	if !ok {
		return database.Table{}, fmt.Errorf("%q is not a query", text)
	}
	return database.Table{Columns: []string{"n"}, Rows: [][]string{{strconv.Itoa(v.rows[table])}}}, nil
}

func (v *visit) Begin(context.Context, database.Access) error { return nil }

func (v *visit) Commit(context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for table, n := range v.put {
		v.rows[table] += n
	}
	v.ledger = append(v.ledger, v.line...)
	v.put, v.line = map[string]int{}, nil
	return nil
}

func (v *visit) Rollback(context.Context) error {
	v.put, v.line = map[string]int{}, nil
	return nil
}

func (v *visit) Load(_ context.Context, table schema.Table, rows schema.RowSource) (n int64, err error) {
	for more := true; more; {
		if _, more = rows.AppendRow(nil); more {
			v.put[table.Name]++
			n++
		}
	}
	if table.Name == v.jams {
		return 0, errJammed
	}
	return n, nil
}

func (v *visit) Interrupt()                   {}
func (v *visit) Cancel(context.Context) error { return nil }
func (v *visit) Close() error                 { return nil }

// database declares the rack, as a package in internal/database would.
func (s *rack) database() *database.Database {
	ledger := database.BuildLog{
		Create: func(context.Context, database.Session) error { s.building = true; return nil },
		Read:   func(context.Context, database.Session) ([]database.BuildLogLine, error) { return s.ledger, nil },
		Write: func(ctx context.Context, session database.Session, line database.BuildLogLine) error {
			v := session.(*visit)
			if v.line = append(v.line, line); line.Chunk < 0 { // not in a transaction
				return v.Commit(ctx)
			}
			return nil
		},
		Drop: func(context.Context, database.Session) error { s.building, s.ledger = false, nil; return nil },
	}
	return &database.Database{
		Name: "rack", Title: "Rack",
		Options: database.Options{
			New:        func(database.Use) any { return &struct{}{} },
			Target:     func(any) string { return "in memory" },
			SchemaName: func(any) database.SchemaName { return database.SchemaName{Name: "rack"} },
		},
		Sessions: database.Sessions{
			Connect: func(context.Context, any, database.Role) (database.Session, error) {
				return &visit{rack: s, put: map[string]int{}}, nil
			},
			Classify: func(error) meter.Class { return meter.Other },
		},
		Schema: func(*database.Database, *sqlfile.Library, any) database.Schema {
			return database.Schema{
				Relations: s.relations,
				Objects:   func(context.Context, database.Session) ([]database.Object, error) { return nil, nil },
				Create:    func([]schema.Table) ([]string, error) { return nil, nil },
				Step: func(name string) ([]string, error) {
					if table, ok := strings.CutPrefix(name, "finish."); ok {
						return []string{"finish " + table}, nil
					}
					return nil, nil
				},
				Drop: func(_ context.Context, _ database.Session, tables, _ []string) error {
					for _, t := range tables {
						delete(s.rows, t)
					}
					return nil
				},
				BuildLog: ledger,
			}
		},
		Server: func(*sqlfile.Library) database.Server {
			return database.Server{
				Version:  func(context.Context, database.Session) (string, error) { return "1.0", nil },
				Settings: func(context.Context, database.Session) (map[string]string, error) { return nil, nil },
			}
		},
	}
}

func (s *rack) relations(context.Context, database.Session) (map[string]database.Relation, error) {
	found := map[string]database.Relation{}
	for table := range s.rows {
		found[table] = database.Relation{Kind: "table", Columns: []string{"key"}}
	}
	if s.building {
		found[database.BuildLogTable.Name] = database.Relation{Kind: "table", Columns: database.BuildLogTable.ColumnNames()}
	}
	return found, nil
}

// fewRows are the rows of a chunk.
type fewRows struct{ left int }

func (r *fewRows) AppendRow(buf []byte) ([]byte, bool) {
	if r.left == 0 {
		return buf, false
	}
	r.left--
	return append(buf, "row\n"...), true
}

// putter is the terminal and the executor of a user that adds rows to table b.
type putter struct{ session *visit }

func (putter) Pick() (workload.Transaction, bool) { return workload.Transaction{}, true }

func (p putter) Do(ctx context.Context, _ workload.Transaction) error {
	p.session.put["b"]++
	return p.session.Commit(ctx)
}

var stacking = &workload.Workload{
	Name: "stacking", Title: "Stacking",
	Kinds:   []workload.Kind{{Name: "put"}},
	Options: func() any { return &struct{}{} },
	Schema: workload.Schema{
		Tables: func(any, uint64) []schema.Table {
			var tables []schema.Table
			for _, name := range []string{"a", "b"} {
				tables = append(tables, schema.Table{
					Name: name, Columns: []schema.Column{{Name: "key"}}, Size: 6, Chunks: 2,
					Rows: func(int) schema.RowSource { return &fewRows{3} },
				})
			}
			return tables
		},
		Identity: func(any, uint64) string { return "two tables" },
		Builders: func(any) int { return 1 },
	},
	Users: workload.Users{
		NewTerminal: func(workload.Slot) workload.Terminal { return putter{} },
		NewExecutor: func(_ context.Context, c workload.Connection) (workload.Executor, error) {
			return putter{c.Session.(*visit)}, nil
		},
	},
	Evidence: workload.Evidence{Probe: &workload.Probe{Name: "put", Expected: func(s *meter.Summary) int64 { return s.Kinds[0].Done }}},
	Score:    workload.Score{Of: func(workload.Window) []job.Metric { return nil }},
	SQL:      fstest.MapFS{"sql/rack/probe.sql": {Data: []byte("count b")}},
}

func TestDatabaseWithoutSQL(t *testing.T) {
	s := &rack{rows: map[string]int{}}
	local := engine.Local{Catalog: catalog.Catalog{Databases: []*database.Database{s.database()}, Workloads: []*workload.Workload{stacking}}}
	var done int
	do := func(action job.Action, resume bool) error {
		result, err := local.Do(t.Context(), job.Spec{
			Action: action, Database: "rack", Workload: "stacking", Resume: resume, Users: 2,
			Options: option.Values{"rampup": "0", "duration": "200ms"},
		}, job.Control{})
		if action == job.Run {
			done = int(result.Summary.All().Done)
		}
		return err
	}
	holds := func(want map[string]int) {
		t.Helper()
		if !maps.Equal(s.rows, want) {
			t.Errorf("got the rows %v, want %v", s.rows, want)
		}
	}
	s.jams = "b"
	if err := do(job.Build, false); !errors.Is(err, errJammed) {
		t.Fatalf("a build whose table b cannot be loaded: got %v, want %v", err, errJammed)
	}
	holds(map[string]int{"a": 6})
	if err := do(job.Run, false); job.ExitOf(err) != job.ExitExists {
		t.Errorf("a run on an incomplete schema: got %v, want exit code %d", err, job.ExitExists)
	}
	s.jams = ""
	if err := do(job.Build, true); err != nil {
		t.Fatal(err)
	}
	holds(map[string]int{"a": 6, "b": 6})
	if want := []string{"a", "a", "b"}; !slices.Equal(s.finished, want) {
		t.Errorf("got the tables %q finished, want %q: a resumed build may finish a table again", s.finished, want)
	}
	for _, action := range []job.Action{job.Check, job.Run, job.Delete} {
		if err := do(action, false); err != nil {
			t.Fatalf("%s: %v", action, err)
		}
		if action == job.Run {
			// Transactions that ended while the counts were read are in the table, but not in the
			// result.
			if put := s.rows["b"] - 6; s.rows["a"] != 6 || done == 0 || put < done {
				t.Errorf("got the rows %v, want those of the build and at least the %d of the run", s.rows, done)
			}
		}
	}
	holds(map[string]int{})
}

// Tests run on another release of the rack, and do not cover all its parts.
func TestDo_ReportsUntestedReleases(t *testing.T) {
	s := &rack{rows: map[string]int{}}
	d := s.database()
	d.Tested.Releases, d.Tested.Unproven = []string{"2"}, "No test has filled a rack."
	local := engine.Local{Catalog: catalog.Catalog{Databases: []*database.Database{d}, Workloads: []*workload.Workload{stacking}}}
	for _, action := range []job.Action{job.Build, job.Run, job.Check, job.Delete} {
		seen := &recorder{}
		spec := job.Spec{Action: action, Database: "rack", Workload: "stacking", Users: 1, Options: option.Values{"rampup": "0", "duration": "200ms"}}
		if _, err := local.Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{seen}}); err != nil {
			t.Fatalf("%s: %v", action, err)
		}
		want := d.Tested.Unproven
		if action == job.Run {
			want = "Sledge's tests do not run on Rack 1.0: they run on 2. " + d.Tested.Unproven
			if seen.facts == nil || seen.facts.Unproven != want {
				t.Errorf("got the facts %+v, want Unproven to be %q", seen.facts, want)
			}
		}
		if !slices.Contains(seen.messages, want) {
			t.Errorf("%s: got the messages %q, want %q among them", action, seen.messages, want)
		}
	}
}

// A job that cannot connect reports its target.
func TestDo_NamesItsTargetBeforeAServerAnswers(t *testing.T) {
	away := *(&rack{}).database()
	away.Sessions.Connect = func(context.Context, any, database.Role) (database.Session, error) { return nil, errJammed }
	local := engine.Local{Catalog: catalog.Catalog{Databases: []*database.Database{&away}, Workloads: []*workload.Workload{stacking}}, Version: "v9"}
	for _, action := range []job.Action{job.Build, job.Check, job.Run, job.Delete} {
		seen := &recorder{}
		_, err := local.Do(t.Context(), job.Spec{Action: action, Database: "rack", Workload: "stacking", Users: 1}, job.Control{Watchers: []job.Watcher{seen}})
		if !errors.Is(err, errJammed) || seen.facts == nil || seen.facts.Target == "" || seen.facts.SledgeVersion != "v9" {
			t.Errorf("%s: got %v and the facts %+v, want its target and the version in them", action, err, seen.facts)
		}
	}
}

// recorder is a job.Watcher that keeps messages and facts.
type recorder struct {
	messages []string
	facts    *job.Facts
}

func (h *recorder) Watch(e job.Event) {
	if e.Facts != nil {
		h.facts = e.Facts
	}
	if e.Message != "" {
		h.messages = append(h.messages, e.Message)
	}
}

// Builders report rows in batches before the chunk is committed.
func TestBuild_CountsCommittedRowsOnly(t *testing.T) {
	s := &rack{rows: map[string]int{}, jams: "b"}
	large := *stacking
	large.Schema.Tables = func(any, uint64) []schema.Table {
		tables := stacking.Schema.Tables(nil, 0)
		for i := range tables {
			tables[i].Rows = func(int) schema.RowSource { return &fewRows{1000} }
		}
		return tables
	}
	local := engine.Local{Catalog: catalog.Catalog{Databases: []*database.Database{s.database()}, Workloads: []*workload.Workload{&large}}}
	result, err := local.Do(t.Context(), job.Spec{Action: job.Build, Database: "rack", Workload: "stacking"}, job.Control{})
	if !errors.Is(err, errJammed) {
		t.Fatalf("got %v, want %v", err, errJammed)
	}
	for table, want := range map[string]int64{"a": 2000, "b": 0} {
		i := slices.IndexFunc(result.Loaded, func(l job.TableLoad) bool { return l.Table == table })
		if got := result.Loaded[i]; got.Rows != want || got.Bytes != want*int64(len("row\n")) {
			t.Errorf("got %+v, want %d rows", got, want)
		}
	}
}
