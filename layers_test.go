package sledge

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists which of our packages each of our packages may import, from the bottom up. Names are
// paths below internal, or else below the root; "database/*" means every package below database
// without its own line. Tests may import any package, and packages whose names end in "test" are
// part of the tests.
//
// The table is the architecture, and this test enforces it: change a line only if the architecture
// changes, not to permit an import.
var layers = map[string]string{
	// Basic types: they import no packages of ours, so every package can use them.
	"meter":    "",
	"option":   "",
	"schema":   "",
	"sqlfile":  "",
	"terminal": "",
	"job":      "meter option",

	// What figures of runs show.
	"statistics": "",

	// Conditions that a run must meet.
	"threshold": "option",

	// Finds out which program listens at a server's address.
	"listener": "",

	// Checks of machines, servers and loads: each is declared by what it is about.
	"doctor": "job",

	// Our own files, and facts about the machine and its processes.
	"sqlitefile":  "",
	"privatefile": "",
	"host":        "doctor job",

	// Agents on other machines: their document, their client and the file of saved ones.
	"agent": "job option privatefile",

	// What the sessions of a server do, second by second.
	"top": "database job",

	// How users wait.
	"loop": "",

	// The repository of jobs.
	"repository": "host job meter option sqlitefile",

	// Results that other programs recorded.
	"past": "database job option repository",

	// Results in a database of the user's.
	"resultdb": "database job",

	// The interfaces of databases and workloads.
	"database": "doctor job meter option schema sqlfile",
	"workload": "database job meter option schema sqlfile",

	// Code that all SQL databases share.
	"sqlschema": "database doctor schema sqlfile",

	// Databases and workloads. They meet only in the engine and by their SQL files. If databases
	// knew workloads, each new workload would require code in every database, and vice versa. A
	// database may import the database that it is a variant of.
	"database/*": "database database/* doctor job listener loop meter option schema sqlfile sqlschema",
	"workload/*": "database job meter option schema sqlfile workload",

	// A workload that is read from files.
	"workload/script/files": "database job meter option schema sqlfile workload workload/script/pgbench workload/script/sysbench",

	// Scripts of pgbench.
	"workload/script/pgbench": "database job option sqlfile workload",

	// Scripts of sysbench.
	"workload/script/sysbench": "database meter option sqlfile workload",

	// The command lines of pgbench and of sysbench.
	"sysbench": "meter option workload/script/sysbench",
	"pgbench":  "database job meter option schema workload/script/pgbench",

	// The examples of such workloads.
	"examples/workloads": "",

	// Data that a standard defines.
	"workload/tproch/dbgen": "",

	// The load of virtual users, independent of the workload.
	"engine/load": "agent engine/pool host loop option threshold",
	"engine/pool": "option",

	// Observation of a run, without access to users or their connections.
	"engine/observer": "agent database engine/order host job meter workload",

	// The messages between the coordinator of a run and its generator.
	"engine/order": "job meter workload",

	// Finds databases and workloads by name, without naming any.
	"catalog": "database engine/load job option sqlfile workload",

	// Events to watchers.
	"engine/feed": "job meter",

	// A bound job, as data.
	"engine/plan": "catalog database engine/feed engine/load engine/pool job meter option sqlfile threshold workload",

	// The database of a plan, for any job.
	"engine/target": "database doctor engine/feed engine/plan host job meter option schema workload",

	// The users of a run, and the coordinator of the run. Neither imports the other.
	"engine/generator":   "database engine/feed engine/load engine/order engine/plan engine/pool engine/target host job loop meter workload",
	"engine/coordinator": "agent database doctor engine/feed engine/load engine/observer engine/order engine/plan engine/target host job meter statistics threshold workload",

	// Measures what the client can drive, without a server.
	"engine/ceiling": "catalog database engine/feed engine/generator engine/order engine/plan engine/target host job workload",

	// Runs jobs on any database with any workload, without naming one.
	"engine": "agent catalog database doctor engine/coordinator engine/feed engine/generator engine/observer engine/order engine/plan engine/target host job meter option schema top workload",

	// Runs each job in its own process.
	"runner/process": "database job option",

	// Suites for databases and workloads, which tests and the program run.
	"suite":          "",
	"suite/sessions": "database job meter option schema sqlfile suite",
	"suite/jobs":     "catalog database engine engine/plan job meter option schema suite workload",

	"report": "host job meter option repository statistics terminal",

	// The live view of a running job.
	"live": "job meter",

	// Charts.
	"chart": "",

	// Files with runs for other people.
	"bundle": "engine/plan job meter option report repository settings terminal workload",

	// JSON documents.
	"document": "bundle catalog job live meter option report repository settings",

	// Reports to keep and print.
	"paper": "chart document job meter report repository settings terminal",

	// Front ends. They get the catalog as an argument.
	"settings":      "catalog database engine engine/plan engine/pool hammerdb/names hammerdb/pools job option privatefile workload",
	"control/tasks": "",
	"control":       "job meter repository settings",
	"metrics":       "job meter privatefile",
	"experiment":    "job option report repository settings",
	"schedule":      "job repository",
	"manual":        "bundle catalog database doctor document host job live meter option report repository selftest settings statistics workload",
	"datagen":       "catalog control/tasks database engine/plan host job live option schema settings workload",
	"selftest":      "catalog database engine engine/plan host job meter option settings suite suite/jobs suite/sessions workload",
	"interpreter":   "",
	"scripting":     "control/tasks job",
	"capture":       "database engine/plan engine/target job sqlfile",
	"counter":       "database document engine engine/plan job report workload",
	"help":          "",
	"web/secret":    "",
	"web/share":     "privatefile web/secret",
	"web":           "privatefile web/share web/secret",
	"agent/server":  "agent host job privatefile shell web web/secret",
	"notice":        "document job privatefile report",
	"web/api":       "catalog control control/tasks counter datagen docs document engine engine/plan experiment hammerdb/console hammerdb/setup hammerdb/views help job live meter metrics notice option paper report repository schedule scripting settings web/share",
	"cli/display":   "control engine engine/load hammerdb/lines job live meter report settings terminal workload",
	"cli/program":   "agent control document hammerdb/views job metrics option report repository settings terminal",
	"cli/jobflags":  "catalog cli/display cli/program control document engine/plan hammerdb/setup hammerdb/views job meter metrics option report repository settings terminal",
	"cli/results":   "bundle cli/display cli/jobflags cli/program document engine/load hammerdb/history hammerdb/views job meter option paper past report repository resultdb settings statistics terminal",
	"shell":         "host",
	"tuning":        "agent database engine/plan engine/target host job privatefile shell",
	"cli/jobs":      "agent bundle cli/display cli/jobflags cli/program cli/results datagen doctor engine engine/plan engine/target experiment hammerdb/lines host job metrics option report repository selftest settings shell statistics terminal tuning",
	"cli/screen":    "database job terminal top",
	"cli/site":      "agent agent/server cli/display cli/jobflags cli/program cli/screen counter database document engine hammerdb/console hammerdb/webservice host job metrics notice option privatefile report repository settings terminal top web web/api web/pages",
	"cli/options":   "bundle capture catalog cli/display cli/jobflags cli/program document examples/workloads hammerdb/setup job option report settings sqlfile terminal workload workload/script/files",
	"cli/sysbench":  "cli/program control database job report settings sysbench workload/script/files workload/script/sysbench",
	"cli/pgbench":   "cli/program control database job meter pgbench report settings",
	"cli/hammerdb":  "cli/program cli/site control hammerdb/console interpreter job option report repository settings terminal",
	"cli":           "cli/hammerdb cli/jobflags cli/jobs cli/options cli/pgbench cli/program cli/results cli/site cli/sysbench document job option settings terminal",

	// Compatibility with HammerDB: its names, its files and its lines.
	"hammerdb/names":        "option workload",
	"hammerdb/xmlfile":      "",
	"hammerdb/pools":        "engine/pool hammerdb/names hammerdb/xmlfile option",
	"hammerdb/lines":        "job",
	"hammerdb/views":        "catalog chart hammerdb/lines hammerdb/names job meter report paper repository terminal",
	"hammerdb/history":      "hammerdb/lines hammerdb/names job option past repository sqlitefile",
	"hammerdb/scripts":      "catalog database hammerdb/names option workload",
	"hammerdb/setup":        "database hammerdb/names job option settings",
	"hammerdb/dictionaries": "catalog database engine engine/load hammerdb/names hammerdb/xmlfile job option settings sqlitefile workload",
	"hammerdb/parts":        "catalog hammerdb/dictionaries hammerdb/views job repository",
	"hammerdb/webservice":   "catalog hammerdb/parts hammerdb/views job repository",
	"hammerdb/console":      "agent control database datagen engine engine/plan experiment hammerdb/dictionaries hammerdb/history hammerdb/lines hammerdb/parts hammerdb/scripts hammerdb/views hammerdb/xmlfile host job meter option privatefile report repository settings terminal workload",

	// The manual.
	"docs": "",

	// The pages of the web application.
	"web/pages": "",

	// Generated lists, their generators, and the program.
	"catalog/edition":  "catalog database database/* workload workload/* workload/script/files",
	"catalog/generate": "",
	"cli/generate":     "catalog/edition cli cli/program manual settings",
	"interpreter/pack": "",
	"web/api/generate": "web/api",
	"cmd/sledge":       "catalog/edition cli cli/program engine engine/ceiling job repository runner/process settings terminal",

	// Packages that only tests use.
	"bench":                  "",
	"browser":                "",
	"testserver":             "",
	"suite/databasetest":     "database job option suite/sessions suite/suitetest",
	"grammartest":            "catalog catalog/edition database engine/plan job option privatefile sqlfile suite/sessions testserver workload",
	"report/reporttest":      "job meter option",
	"host/hosttest":          "",
	"suite/workloadtest":     "catalog/edition database engine/plan job option suite suite/jobs suite/suitetest testserver workload",
	"suite/suitetest":        "suite",
	"engine/order/ordertest": "engine/order job",
	"engine/plan/plantest":   "catalog database engine/load engine/plan job meter option schema sqlfile workload",
	"engine/enginetest":      "catalog database engine engine/plan job meter option schema sqlfile workload",

	"engine/enginetest/analytics": "database meter schema sqlfile workload",

	"interpreter/interpretertest": "",
	"repository/repositorytest":   "job meter option repository",

	"workload/tproch/dbgen/dbgentest": "testserver",
}

// forTests lists the packages that start servers or fail a testing.T. The program must not import
// them.
var forTests = []string{"bench", "browser", "testserver", "suite/databasetest", "grammartest", "report/reporttest", "repository/repositorytest", "suite/workloadtest", "suite/suitetest", "engine/enginetest", "engine/enginetest/analytics", "engine/order/ordertest", "interpreter/interpretertest", "workload/tproch/dbgen/dbgentest"}

func TestPackages_ImportOnlyWhatTheirLayerAllows(t *testing.T) {
	files := token.NewFileSet()
	for _, name := range sourceFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		importer := short(path.Dir(name))
		if importer == "." {
			continue
		}
		allowed, known := layer(importer)
		if !known {
			t.Errorf("%s: the package is in no layer: add a line that says what %q may import to the table in layers_test.go", name, importer)
			continue
		}
		source, err := parser.ParseFile(files, name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range source.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			imported, ours := strings.CutPrefix(imported, "sledge/")
			if !ours {
				continue
			}
			imported = short(imported)
			if strings.HasPrefix(imported, importer+"/") && !slices.Contains(forTests, imported) {
				continue // a package may be divided into packages below it
			}
			if !allows(allowed, imported) {
				t.Errorf("%s: %q may not import %q, only [%s]: see the table in layers_test.go",
					files.Position(i.Pos()), importer, imported, allowed)
			}
		}
	}
}

// light lists packages below internal that must not depend on SQLite, on drivers or on code that
// reads facts of the machine, even indirectly. "workload/*" means every workload. Otherwise each
// replica of a cluster would have to include these dependencies.
var light = []string{"job", "meter", "workload", "workload/*"}

// heavy matches the modules on which light packages must not depend.
var heavy = regexp.MustCompile(`^(modernc\.org|github\.com/(shirou|jackc|go-sql-driver|duckdb))/`)

func TestLightPackages_DependOnNoDriver(t *testing.T) {
	arguments := []string{"list", "-deps", "-f", "{{.ImportPath}}"}
	for _, name := range light {
		folders, err := fs.Glob(os.DirFS("internal"), name)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, folder := range folders {
			if sources, _ := fs.Glob(os.DirFS("internal"), folder+"/*.go"); len(sources) > 0 && !slices.Contains(forTests, folder) {
				arguments, found = append(arguments, "./internal/"+folder), true
			}
		}
		if !found {
			t.Errorf("there is no package %s", name)
		}
	}
	list, err := exec.Command("go", arguments...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for needed := range strings.FieldsSeq(string(list)) {
		if heavy.MatchString(needed) {
			t.Errorf("%s need %s, and must not", strings.Join(arguments[4:], " "), needed)
		}
	}
	if !strings.Contains(string(list), "sledge/internal/meter\n") {
		t.Errorf("got the dependencies %q, and not meter", list)
	}
}

func TestLayers_AllExist(t *testing.T) {
	for name := range layers {
		folder := strings.TrimSuffix(name, "/*")
		if _, err := os.Stat("internal/" + folder); err == nil {
			continue
		}
		if _, err := os.Stat(folder); err != nil {
			t.Errorf("the table in layers_test.go has a line for %q, and there is no such folder: remove the line", name)
		}
	}
}

func TestLayerRules_MatchPackages(t *testing.T) {
	tests := []struct {
		importer, imported string
		want               bool
	}{
		{"engine", "database", true},
		{"engine", "database/sqlite", false},
		{"database/mariadb", "database/mysql", true},
		{"database/sqlite", "workload", false},
		{"database/sqlite", "suite/databasetest", false},
		{"workload/tprocc", "database", true},
		{"workload/tprocc", "database/sqlite", false},
		{"workload/tprocc/rows", "schema", true}, // inherited from its parent
		{"workload/tprocc/rows", "engine", false},
		{"workload/tproch/dbgen", "schema", false}, // it has its own line
		{"catalog/edition", "workload/tprocc", true},
		{"catalog/edition", "suite/workloadtest", false},
		{"catalog", "workload/tprocc", false},
		{"cli", "catalog/edition", false},
	}
	for _, test := range tests {
		allowed, known := layer(test.importer)
		if !known {
			t.Errorf("%s is in no layer", test.importer)
		}
		if got := allows(allowed, test.imported); got != test.want {
			t.Errorf("%s may import %s: got %t, want %t", test.importer, test.imported, got, test.want)
		}
	}
	if _, known := layer("newcomer"); known {
		t.Error("a package without a line is in a layer, and should not be")
	}
}

// layer returns the packages that a package may import: from its own line, or else from the line
// for a folder around it.
func layer(name string) (allowed string, known bool) {
	if allowed, known := layers[name]; known {
		return allowed, true
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if allowed, known := layers[folder+"/*"]; known {
			return allowed, true
		}
	}
	return "", false
}

// allows reports whether a line of the table names the imported package.
func allows(line, imported string) bool {
	for pattern := range strings.FieldsSeq(line) {
		if pattern == imported {
			return true
		}
		folder, all := strings.CutSuffix(pattern, "/*")
		if all && path.Dir(imported) == folder && !slices.Contains(forTests, imported) {
			return true
		}
	}
	return false
}

// short returns the name of a package in the table, given its path below the root.
func short(name string) string { return strings.TrimPrefix(name, "internal/") }

// otherModules are the folders of separate modules that are not part of the program.
var otherModules = []string{"tools/", "tclsh/", "examples/clients/go/"}

// sourceFiles lists the program's Go files, for all systems.
func sourceFiles(t *testing.T) []string {
	t.Helper()
	var sources []string
	for _, name := range treeFiles(t) {
		other := slices.ContainsFunc(otherModules, func(folder string) bool { return strings.HasPrefix(name, folder) })
		if path.Ext(name) == ".go" && !other {
			sources = append(sources, name)
		}
	}
	return sources
}

// treeFiles lists the files of the tree, without built and fetched files and git's own.
func treeFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", ".cache", "bin", "node_modules", "built"}, entry.Name()):
			return fs.SkipDir
		case entry.Type().IsRegular():
			if name != ".git" { // a file in a second working tree of the repository
				names = append(names, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// apart lists packages that others must not depend on, even indirectly. A run's observers, for
// example, must also work with users in another process.
var apart = map[string][]string{
	"engine/observer": {"engine", "loop", "repository", "report", "web", "hammerdb"},
	"engine/order":    {"engine", "loop", "repository", "report", "web", "hammerdb"},

	"engine/generator":   {"engine", "engine/coordinator", "repository", "report", "web", "hammerdb"},
	"engine/coordinator": {"engine", "engine/generator", "repository", "report", "web", "hammerdb"},
}

func TestSeams_HoldInAllDependencies(t *testing.T) {
	for name, without := range apart {
		list, err := exec.Command("go", "list", "-deps", "./internal/"+name).Output()
		if err != nil {
			t.Fatal(err)
		}
		for needed := range strings.FieldsSeq(string(list)) {
			ours, is := strings.CutPrefix(needed, "sledge/internal/")
			if is && ours != name && slices.ContainsFunc(without, func(one string) bool { return ours == one || one != "engine" && strings.HasPrefix(ours, one+"/") }) {
				t.Errorf("%s needs %s, and must not", name, ours)
			}
		}
	}
}
