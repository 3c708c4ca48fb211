package files_test

import (
	"context"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"sledge/examples/workloads"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
	"sledge/internal/workload"
	"sledge/internal/workload/script/files"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// example reads an example, with the suite's variant: all transactions equally often on few rows.
func example(t *testing.T, name string) *workload.Workload {
	t.Helper()
	of, err := workloads.Example(name)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(folder, of); err != nil {
		t.Fatal(err)
	}
	w, err := files.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// on lists the databases on which examples are tested. MySQL's SQL is that of MariaDB; its server counts
// differently if statements commit by themselves.
func on(name string) []string {
	list := []string{"sqlite", "postgresql", "mariadb"}
	if name == "ycsb" {
		return append(list, "mysql")
	}
	return list
}

// TestEveryExample builds, runs, checks and deletes each example.
func TestEveryExample(t *testing.T) {
	for _, name := range workloads.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := example(t, name)
			if len(w.Schema.Tables(w.Options(), 1)) == 0 {
				t.Skip("there is nothing to build")
			}
			if name == "ch" {
				t.Skip("TestCH_RunsOnTPROCC: it needs the tables of TPROC-C, too")
			}
			databases := slices.DeleteFunc(slices.Clone(edition.Catalog.Databases), func(d *database.Database) bool {
				return !slices.Contains(on(name), d.Name)
			})
			workloadtest.RunOn(t, databases, w, nil, nil)
		})
	}
}

// TestCH_RunsOnTPROCC runs TPROC-C and the queries of CH-benCHmark on one schema. Then it counts the
// rows that each query finds.
func TestCH_RunsOnTPROCC(t *testing.T) {
	ch := example(t, "ch")
	none := []string{
		"query_11", // each item is less than 0.5 % of the orders, or nothing was ordered yet
		"query_20", // there is one such item for about 2 warehouses
		"query_21", // nothing that a build has delivered was late
		"query_22", // each customer has an order
	}
	l := engine.Local{Catalog: edition.Catalog, Version: "test"}
	for _, d := range edition.Catalog.Databases {
		if !slices.Contains([]string{"sqlite", "postgresql", "mariadb", "mysql"}, d.Name) {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			values := workloadtest.Server(t, d, "")
			if d.Embedded() {
				values = option.Values{"file": filepath.Join(t.TempDir(), "ch.db")}
			} else {
				values = values.Clone()
				values["dbname"] = "ch"
				if d.Name == "postgresql" {
					values["user"], values["password"] = "ch", "ch"
				}
			}
			do := func(s job.Spec, options ...string) job.Result {
				t.Helper()
				s.Database, s.Users, s.Options = d.Name, 1, values.Clone()
				for i := 0; i < len(options); i += 2 {
					s.Options[options[i]] = options[i+1]
				}
				result, err := l.Do(context.WithoutCancel(t.Context()), s, job.Control{})
				if err != nil {
					t.Fatalf("%s %s: %v", s.Action, s.Workload, err)
				}
				return result
			}
			do(job.Spec{Action: job.Build, Workload: "tprocc"}, "warehouses", "1")
			do(job.Spec{Action: job.Build, Workload: "ch", Files: ch.Files})
			t.Cleanup(func() {
				do(job.Spec{Action: job.Delete, Workload: "ch", Files: ch.Files})
				do(job.Spec{Action: job.Delete, Workload: "tprocc"})
			})
			do(job.Spec{Action: job.Check, Workload: "ch", Files: ch.Files})
			mixed := do(job.Spec{
				Action: job.Run, Workload: "tprocc", Group: "orders",
				Beside: []job.Group{{Name: "queries", Workload: "ch", Files: ch.Files, Users: 1, Options: option.Values{"mix": "query_1=1000"}}},
			}, "rampup", "0", "duration", "6s")
			for _, name := range []string{"orders.NOPM", "queries.client TPM"} {
				if value, is := mixed.Metric(name); !is || value <= 0 {
					t.Errorf("got %v, want %s", mixed.Metrics, name)
				}
			}
			p, err := l.Plan(job.Spec{Action: job.Run, Database: d.Name, Workload: "ch", Files: ch.Files, Options: values})
			if err != nil {
				t.Fatal(err)
			}
			s, err := target.Connect(t.Context(), p.Job, database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			defer target.CloseQuietly(&s)
			for _, k := range ch.Kinds {
				name := strings.ReplaceAll(k.Name, " ", "_")
				text := strings.NewReplacer(":since", "'2000-01-01 00:00:00'", ":until", "'2100-01-01 00:00:00'").Replace(p.SQL.Text(name))
				found, err := s.Query(t.Context(), text, 10)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				} else if len(found.Rows) == 0 && !slices.Contains(none, name) {
					t.Errorf("%s found no row", name)
				}
			}
		})
	}
}

// shop is a small valid workload.
func shop() map[string]string {
	return map[string]string{
		"workload.toml": `title = "Shop"

[options.products]
default = 100
help = "number of products"

[tables.product]
rows = "products"
key = ["p_id"]

[tables.product.columns]
p_id = { type = "bigint", sequence = 1 }
p_price = { type = "decimal(8,2)", uniform = [1, 100] }

[transactions.look]
parameters.p_id = { zipf = [1, "products"] }
`,
		"look.sql":  "SELECT p_price FROM product WHERE p_id = :p_id",
		"check.sql": "-- name: prices\n-- no price is negative\nSELECT p_id FROM product WHERE p_price < 0",
	}
}

func TestNew_NamesTheMistakeAndItsLine(t *testing.T) {
	for _, test := range []struct{ file, replace, with, want string }{
		{"workload.toml", "title", "titel", `workload.toml, line 1: there is no key titel here: did you mean title?`},
		{"workload.toml", `"bigint"`, `"bigit"`, `workload.toml, line 12: "bigit" is not a type: did you mean bigint?`},
		{"workload.toml", "zipf = [1", "zipff = [1", "workload.toml, line 16: there is no key zipff here: did you mean zipf?"},
		{"workload.toml", `zipf = [1, "products"]`, `zipf = [1, "product"]`, "workload.toml, line 16: there is no option product: did you mean products?"},
		{"workload.toml", "uniform = [1, 100]", "uniform = [1]", "workload.toml, line 13: uniform needs two bounds"},
		{"workload.toml", "uniform = [1, 100]", "uniform = [1, 100], list = ['a']", "workload.toml, line 13: it is drawn in several ways: give one of uniform, list"},
		{"workload.toml", "uniform = [1, 100]", "letters = [1, 100]", "workload.toml, line 13: letters makes a text"},
		{"workload.toml", "sequence = 1", "sequence = 1, weights = [1]", "workload.toml, line 12: weights is for list"},
		{"workload.toml", `key = ["p_id"]`, `key = ["id"]`, "workload.toml, line 9: there is no column id"},
		{"workload.toml", `help = "number of products"`, "", "workload.toml, line 3: it has no help"},
		{"workload.toml", "sequence = 1 }", "uniform = [1, 5] }", "workload.toml, line 8: a run cannot find the value of products"},
		{"workload.toml", "[transactions.look]", "[transactions.Look]", `workload.toml, line 15: the name "Look" must begin with a letter`},
		{"workload.toml", "[transactions.look]", "[transactions.looks]", "workload.toml, line 15: there is no file looks.sql"},
		{"workload.toml", "[transactions.look]", "[transactions.look]\nempty = 'stop'", `workload.toml, line 16: "stop" is not one of fail, commit, rollback`},
		{"workload.toml", "[transactions.look]", "[transactions.look]\nweight = 0", "workload.toml: all transactions have the weight 0"},
		{"workload.toml", "rows = \"products\"", "rows = \"products", "workload.toml, line 8: "},
		{"workload.toml", `zipf = [1, "products"]`, `expression = "1 +"`, `workload.toml, line 16: expression "1 +": syntax error, unexpected end of the expression at column 4`},
		{"workload.toml", `zipf = [1, "products"]`, `expression = ":product"`, `workload.toml, line 16: expression ":product": :product is neither an option nor a number among the parameters before it: did you mean products?`},
		{"workload.toml", "uniform = [1, 100]", "uniform = [100, 1]", "workload.toml, line 13: the bounds 100 and 1 leave no value"},
		{"workload.toml", "uniform = [1, 100]", "uniform = [-1e15, 1e15]", "workload.toml, line 13: the bounds -1000000000000000 and 1000000000000000 have more than"},
		{"workload.toml", `rows = "products"`, "rows = -1", "workload.toml, line 8: it cannot have -1 rows"},
		{"look.sql", ":p_id", ":p_di", "look.sql, line 1: nothing gives :p_di a value: did you mean p_id?"},
		{"look.sql", "SELECT", "-- results: total\nSELECT", "look.sql, line 2: the result total has no type"},
		{"look.sql", "SELECT", "-- results: p_id varchar(5)\nSELECT", "look.sql, line 2: p_id has another type before this statement"},
		{"look.sql", ":p_id", ":p_id; SELECT 'a", "look.sql: unterminated '"},
		{"workload.toml", "[transactions.look]", "[transactions.look]\nprotocol = 'simple'", "workload.toml, line 15: protocol and on_error are for scripts"},
		{"workload.toml", "[transactions.look]", "[transactions.look]\nlanguage = 'lua'", `workload.toml, line 15: "lua" is not a language`},
		{"workload.toml", "[transactions.look]", "[transactions.look]\nlanguage = 'pgbench'", "workload.toml, line 15: a script has its own BEGIN, COMMIT and variables"},
		{"workload.toml", "[transactions.look]", "[transactions.look]\nlanguage = 'pgbench'\nprotocol = 'text'", `workload.toml, line 15: "text" is not a protocol`},
		{"check.sql", "-- name: prices\n", "", "check.sql, line 1: it has no rule"},
	} {
		texts := shop()
		text := strings.Replace(texts[test.file], test.replace, test.with, 1)
		if text == texts[test.file] {
			t.Fatalf("%s does not contain %q", test.file, test.replace)
		}
		texts[test.file] = text
		if _, err := files.New("shop", texts); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s instead of %s: got %v, want %s", test.with, test.replace, err, test.want)
		}
	}
	if _, err := files.New("shop", shop()); err != nil {
		t.Error(err)
	}
	script := map[string]string{"workload.toml": "[transactions.a]\nlanguage = 'pgbench'\n", "a.sql": "SELECT 1;\n\\gett\n"}
	if _, err := files.New("script", script); err == nil || !strings.HasPrefix(err.Error(), `a.sql, line 2: there is no command \gett: did you mean gset?`) {
		t.Errorf("got %v, want the line of the script", err)
	}
	outside := shop()
	outside["../look.sql"] = "SELECT 1 AS one"
	if _, err := files.New("shop", outside); err == nil || !strings.Contains(err.Error(), `no file "../look.sql"`) {
		t.Errorf("got %v, want a file outside the folder refused", err)
	}
	if _, err := files.New("my-shop", shop()); err == nil || !strings.Contains(err.Error(), `called "my-shop"`) {
		t.Errorf("got %v, want the name refused", err)
	}
}

func TestRead_LeavesOutOtherFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "shop")
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range shop() {
		put(name, text)
	}
	put("notes.txt", "secret")
	put(".hidden/look.sql", "SELECT 1")
	put("mysql/look.sql", "SELECT p_price FROM product FORCE INDEX (PRIMARY) WHERE p_id = :p_id")
	put("mysql/deeper/look.sql", "SELECT 1")
	w, err := files.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Files) != 4 || w.Files["mysql/look.sql"] == "" {
		t.Errorf("got the files %v, want the definition and the SQL", w.Files)
	}
	if _, err := fs.ReadFile(w.SQL, "sql/mysql/look.sql"); err != nil {
		t.Error(err)
	}
	if _, err := files.Read(filepath.Join(folder, "mysql")); err == nil || !strings.Contains(err.Error(), "is not a workload") {
		t.Errorf("got %v, want a folder without a definition refused", err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "passwd.sql")); err != nil {
		t.Skip(err)
	}
	if _, err := files.Read(folder); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("got %v, want a link refused", err)
	}
}

// drawn returns values of a parameter.
func drawn(t *testing.T, definition string, n int) []string {
	t.Helper()
	texts := map[string]string{
		"workload.toml": "[tables.one]\nrows = " + "1000\n[tables.one.columns]\nx = " + definition + "\n[transactions.look]\n",
		"look.sql":      "SELECT 1 AS one",
	}
	w, err := files.New("one", texts)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for seed := uint64(1); len(values) < n; seed++ {
		rows := w.Schema.Tables(w.Options(), seed)[0].Rows(0)
		for {
			row, more := rows.AppendRow(nil)
			if !more {
				break
			}
			values = append(values, strings.TrimSuffix(string(row), "\n"))
		}
	}
	return values[:n]
}

// fits fails the test unless the counts of values fit the probabilities, by a chi-square test with a
// fixed seed.
func fits(t *testing.T, definition string, probabilities map[string]float64) {
	t.Helper()
	const n = 50_000
	counts := map[string]float64{}
	for _, v := range drawn(t, definition, n) {
		counts[v]++
	}
	statistic, seen := 0.0, 0.0
	for v, p := range probabilities {
		statistic += (counts[v] - n*p) * (counts[v] - n*p) / (n * p)
		seen += counts[v]
	}
	if seen != n {
		t.Errorf("%s: %g of %d values have no probability", definition, n-seen, n)
	}
	if limit := (distuv.ChiSquared{K: float64(len(probabilities) - 1)}).Quantile(0.9999); statistic > limit {
		t.Errorf("%s: chi-square is %.1f, more than %.1f", definition, statistic, limit)
	}
}

func TestDrawing_Fits(t *testing.T) {
	uniform := map[string]float64{}
	for _, v := range []string{"-1", "0", "1", "2"} {
		uniform[v] = 0.25
	}
	fits(t, `{ type = "int", uniform = [-1, 2] }`, uniform)
	fits(t, `{ type = "varchar(5)", list = ["a", "b", "c"], weights = [1, 0, 3] }`, map[string]float64{"a": 0.25, "c": 0.75})
	fits(t, `{ type = "int", hot = [1, 10], hot_rows = 2, hot_share = 0.5 }`, map[string]float64{
		"1": 0.25, "2": 0.25, "3": 0.0625, "4": 0.0625, "5": 0.0625, "6": 0.0625, "7": 0.0625, "8": 0.0625, "9": 0.0625, "10": 0.0625,
	})
	fits(t, `{ type = "int", uniform = [7, 7], null = 0.2 }`, map[string]float64{"7": 0.8, `\N`: 0.2})
	for _, exponent := range []float64{0.5, 0.99, 1, 2} {
		zipf, sum := map[string]float64{}, 0.0
		for k := 1; k <= 20; k++ {
			sum += math.Pow(float64(k), -exponent)
		}
		for k := 1; k <= 20; k++ {
			zipf[strconv.Itoa(k)] = math.Pow(float64(k), -exponent) / sum
		}
		fits(t, `{ type = "int", zipf = [1, 20], exponent = `+strconv.FormatFloat(exponent, 'f', 2, 64)+` }`, zipf)
	}
	normal := map[string]float64{}
	bell := distuv.Normal{Mu: 0.5, Sigma: 1.0 / 6}
	for k := range 10 {
		p := bell.CDF(float64(k+1)/10) - bell.CDF(float64(k)/10)
		normal[strconv.Itoa(k)] = p / (bell.CDF(1) - bell.CDF(0))
	}
	fits(t, `{ type = "int", normal = [0, 9] }`, normal)
}

func TestDrawing_WritesEachType(t *testing.T) {
	for definition, want := range map[string]string{
		`{ type = "decimal(8,2)", value = -0.5 }`:                                         "-0.50",
		`{ type = "decimal(8,3)", value = 12 }`:                                           "12.000",
		`{ type = "date", value = "2024-02-29" }`:                                         "2024-02-29",
		`{ type = "timestamp", uniform = ["2024-02-29 13:00:00", 2024-02-29T13:00:00Z] }`: "2024-02-29 13:00:00",
		`{ type = "varchar(20)", value = 'a\b' }`:                                         `a\\b`,
		`{ type = "varchar(20)", sequence = 5, prefix = "n" }`:                            "n5",
		`{ type = "varchar(30)", sequence = 0, prefix = "user", hashed = true }`:          "user6284781860667377211", // as YCSB writes its first keys
		`{ type = "varchar(30)", sequence = 1, prefix = "user", hashed = true }`:          "user8517097267634966620",
		`{ type = "char(3)", digits = [0, 0] }`:                                           "",
	} {
		if got := drawn(t, definition, 1)[0]; got != want {
			t.Errorf("%s: got %q, want %q", definition, got, want)
		}
	}
	if got := strings.Join(drawn(t, `{ type = "int", sequence = 1, repeat = 2, cycle = 3 }`, 8), " "); got != "1 1 2 2 3 3 1 1" {
		t.Errorf("got %s", got)
	}
}

// Users of a run draw different numbers of a sequence, and no drawing allocates memory.
func TestTerminal_DrawsWithoutMemory(t *testing.T) {
	texts := shop()
	texts["workload.toml"] += `
[transactions.add.parameters]
p_id = { sequence = "products + 1" }
p_price = { uniform = [1, 100] }
name = { type = "varchar(20)", letters = [5, 20] }
day = { type = "date", uniform = ["2026-01-01", "2026-12-31"] }
hot = { hot = [1, "products"] }
tenth = { expression = "(:p_id - 1) / 10 + random_gaussian(1, :products, 2.5) * 0" }
`
	texts["add.sql"] = "INSERT INTO product (p_id, p_price) VALUES (:p_id, :p_price)"
	w, err := files.New("shop", texts)
	if err != nil {
		t.Fatal(err)
	}
	survey, err := w.Users.Survey(t.Context(), workload.Look{Session: sized{}, Options: w.Options()})
	if err != nil {
		t.Fatal(err)
	}
	for user := range 2 {
		terminal := w.Users.NewTerminal(workload.Slot{Number: user, Users: 2, Options: w.Options(), Survey: survey, Rand: rand.New(rand.NewPCG(1, uint64(user)))})
		if n := testing.AllocsPerRun(1000, func() { terminal.Pick() }); n > 0 {
			t.Errorf("user %d: a transaction allocates %g times", user, n)
		}
	}
}

// The mix is an option, and so are the workload's own.
func TestOptions_AreThoseOfTheDefinition(t *testing.T) {
	texts := shop()
	texts["workload.toml"] += "[transactions.add]\nweight = 3\n[mixes]\nreads = { look = 1 }\n"
	texts["add.sql"] = "SELECT 1 AS one"
	w, err := files.New("shop", texts)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]float64{"": {1, 3}, "reads": {1, 0}, "add=1": {1, 1}, "look=0": {0, 3}} {
		o, values := w.Options(), option.Values{"products": "7"}
		if text != "" {
			values["mix"] = text
		}
		if err := option.Bind(nil, values, o); err != nil {
			t.Fatal(err)
		}
		got := w.Users.Mix.Weights(o, nil)
		if got[0] != want[0] || got[1] != want[1] || w.Schema.Tables(o, 1)[0].Size != 7 {
			t.Errorf("mix %q: got %v and %d rows, want %v and 7", text, got, w.Schema.Tables(o, 1)[0].Size, want)
		}
	}
	for text, want := range map[string]string{"look=0,add=0": "leaves no transaction", "rads": "did you mean reads?", "look": "is not a mix", "lok=1": "did you mean look?", "look=-1": "is not a weight"} {
		if err := option.Bind(nil, option.Values{"mix": text}, w.Options()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("mix %q: got %v, want %s", text, err, want)
		}
	}
	if asked := w.Users.Mix.Weights(w.Options(), []meter.Kind{1}); asked[0] != 0 || asked[1] != 1 {
		t.Errorf("got the weights %v for rates of kinds", asked)
	}
}

// A workload with the name of an option of Sledge's is refused before anything is done.
func TestCatalog_RefusesNamesOfSledge(t *testing.T) {
	texts := shop()
	texts["workload.toml"] = strings.ReplaceAll(texts["workload.toml"], "products", "rate")
	w, err := files.New("shop", texts)
	if err != nil {
		t.Fatal(err)
	}
	d, err := edition.Catalog.Database("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edition.Catalog.Match(d, w); err == nil || !strings.Contains(err.Error(), "Sledge has an option rate with SQLite") {
		t.Errorf("got %v, want the option refused", err)
	}
	redis, err := edition.Catalog.Database("redis")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := edition.Catalog.Match(redis, w); err == nil || !strings.Contains(err.Error(), "Redis has no SQL") {
		t.Errorf("got %v, want Redis refused", err)
	}
}

// sized is a session of a schema with 100 products.
type sized struct{ database.Session }

// Query implements database.Session.
func (sized) Query(context.Context, string, int) (database.Table, error) {
	return database.Table{Columns: []string{"greatest"}, Rows: [][]string{{"100"}}}, nil
}

// A definition of others never makes Sledge panic, and neither do its rows and transactions.
func FuzzNew(f *testing.F) {
	for _, name := range workloads.Names() {
		of, err := workloads.Example(name)
		if err != nil {
			f.Fatal(err)
		}
		text, err := fs.ReadFile(of, "workload.toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "SELECT p_price FROM product WHERE p_id = :p_id")
	}
	f.Add(shop()["workload.toml"], shop()["look.sql"])
	f.Fuzz(func(t *testing.T, definition, statement string) {
		w, err := files.New("shop", map[string]string{"workload.toml": definition, "look.sql": statement, "check.sql": statement})
		if err != nil {
			return
		}
		o := w.Options()
		if _, why := w.Schema.Unbuildable(o); why != "" {
			return
		}
		for _, table := range w.Schema.Tables(o, 1) {
			if table.Chunks == 0 {
				continue
			}
			rows := table.Rows(0)
			for range 3 {
				rows.AppendRow(nil)
			}
		}
		survey, err := w.Users.Survey(t.Context(), workload.Look{Session: sized{}, Options: o})
		if err != nil {
			return
		}
		terminal := w.Users.NewTerminal(workload.Slot{Users: 1, Options: o, Survey: survey, Rand: rand.New(rand.NewPCG(1, 1))})
		for range 3 {
			terminal.Pick()
		}
	})
}

// The web application's catalog reads no folders.
func TestCatalog_WithoutFoldersReadsNone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mine")
	of, err := workloads.Example("shop")
	if err == nil {
		err = os.CopyFS(folder, of)
	}
	if err != nil {
		t.Fatal(err)
	}
	if w, err := edition.Catalog.Workload(folder); err != nil || w.Name != "mine" {
		t.Fatalf("got %v", err)
	}
	if _, err := edition.Catalog.WithoutFolders().Workload(folder); err == nil {
		t.Error("got a workload from a folder")
	}
}

// A group of users works in the database of the run, though its workload has another name.
func TestPlan_GroupsShareTheDatabase(t *testing.T) {
	spec := job.Spec{
		Action: job.Run, Database: "postgresql", Workload: "shop", Files: shop(), Group: "shop", Users: 1,
		Beside: []job.Group{{Name: "reports", Workload: "reports", Files: shop(), Users: 1}},
	}
	p, err := engine.Local{Catalog: edition.Catalog}.Plan(spec)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Others[0].Target(), p.Target(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if password := p.Others[0].Spec.Options["password"]; password != "" {
		t.Error("the options of a group contain its password")
	}
}
