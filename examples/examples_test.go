// Package examples holds the example scripts, and the test that runs them all.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// databases lists the databases with examples. It maps options of a test server to the environment
// variables that the examples read.
var databases = []struct {
	name      string
	variables map[string]string // by the option's name
	queries   string            // the example of queries to run; each is run on one database
}{
	{"postgresql", map[string]string{"host": "HOST", "port": "PORT", "superuser": "SUPERUSER", "superuser_password": "SUPERUSERPASS"}, "tcl/tproch.tcl"},
	{"mariadb", map[string]string{"host": "HOST", "port": "PORT", "user": "USERNAME", "password": "PASS"}, "python/tproch.py"},
	{"mysql", map[string]string{"host": "HOST", "port": "PORT", "user": "USERNAME", "password": "PASS"}, ""},
	{"sqlite", nil, ""},
}

// TestExamplesDoAWholeTest runs every example, with one warehouse and times of seconds. On SQLite
// it runs the shell script in each language, like a user. On servers, where a build takes longer,
// it alternates the languages from step to step.
func TestExamplesDoAWholeTest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are run by a shell script")
	}
	program := testserver.Program(t)
	for i, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel() // runs mostly wait
			var environ []string
			if d.variables != nil {
				server := testserver.Open(t, d.name)
				for option, value := range server.Values() {
					if variable := d.variables[option]; variable != "" {
						environ = append(environ, variable+"="+value)
					}
				}
			}
			if d.variables == nil {
				for language := range extensions {
					t.Run(language, func(t *testing.T) {
						runExample(t, program, d.name, environ, [][]string{{"./tprocc.sh", language, d.name}})
					})
				}
			} else {
				t.Run("tcl and python", func(t *testing.T) {
					var commands [][]string
					for n, step := range []string{"build", "check", "run", "profile", "check", "result", "delete"} {
						language := []string{"tcl", "python"}[(n+i)%2]
						commands = append(commands, []string{program, "console", language, "auto", filepath.Join(language, step+extensions[language])})
					}
					runExample(t, program, d.name, environ, commands)
				})
			}
			if d.queries != "" {
				t.Run("queries", func(t *testing.T) { runQueries(t, program, d.queries, d.name, environ) })
			}
		})
	}
}

// Optuna asks for combinations that are not in the plan, and learns from the answers.
func TestOptunaSearches(t *testing.T) {
	t.Parallel() // runs mostly wait
	packages := testserver.Fetched("optuna-*/cpython-*")
	if packages == "" {
		testserver.Lack(t, "optuna", "Optuna is not installed: run scripts/test-servers")
	}
	program := testserver.Program(t)
	folder := t.TempDir()
	plan := filepath.Join(folder, "size.toml")
	text := "db = \"sqlite\"\ndbname = \"" + filepath.Join(folder, "tpcc.db") + "\"\nrampup = \"0s\"\nduration = \"200ms\"\n[vary]\nusers = [1, 4]\nclient_sql = [true, false]\n"
	if err := os.WriteFile(plan, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := append(os.Environ(), "SLEDGE="+program, "PYTHONPATH="+packages, "SLEDGE_REPO="+filepath.Join(folder, "jobs.db"), "SLEDGE_SETTINGS="+filepath.Join(folder, "settings.db"))
	for _, command := range [][]string{{program, "build", "--config", plan, "--warehouses", "1"}, {"python3", "optuna/tune.py", plan, "8"}} {
		c := exec.Command(command[0], command[1:]...)
		c.Env = environ
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		if command[0] != program && (strings.Count(string(out), " NOPM") < 1 || !strings.Contains(string(out), "highest: {'users': ")) {
			t.Errorf("got %s", out)
		}
		t.Logf("%s", out)
	}
}

func runQueries(t *testing.T, program, script, database string, environ []string) {
	folder := t.TempDir()
	c := exec.Command(program, "console", filepath.Dir(script), "auto", script)
	c.Env = append(os.Environ(), environ...)
	c.Env = append(c.Env, "DB="+database, "TMP="+folder, "SCALE=0.01", "BUILDERS=2", "VUS=2",
		"SLEDGE_REPO="+filepath.Join(folder, "jobs.db"), "SLEDGE_SETTINGS="+filepath.Join(folder, "settings.db"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for want, times := range map[string]int{
		"SCHEMA COMPLETE": 1, "Schema has been checked successfully.": 1, "TPROC-H Driver Script": 1,
		"\n1 Virtual Users Created\n": 1, "\n2 Virtual Users Created\n": 1,
		"Vuser 1:Executing Query 14 (1 of 22)\n": 1, "Vuser 1:Executing Query 21 (1 of 22)\n": 1, "Vuser 2:Executing Query 6 (1 of 22)\n": 1,
		":Completed 1 query set(s) in ": 3, ":Geometric mean of query times returning rows (21) is ": 3,
		`"Geometric mean of query times returning rows (21) is `: 3, `"Q22": {`: 1, "chema has been deleted successfully.": 1,
		"ALL VIRTUAL USERS COMPLETE": 5, // build, check, two runs, delete
	} {
		if n := strings.Count(string(out), want); n != times {
			t.Errorf("got %q %d times, want it %d times in\n%s", want, n, times, out)
		}
	}
}

// extensions are the file extensions of scripts, by language.
var extensions = map[string]string{"tcl": ".tcl", "python": ".py"}

// runExample runs commands that together do a complete test.
func runExample(t *testing.T, program, database string, environ []string, commands [][]string) {
	folder := t.TempDir()
	var out []byte
	for _, command := range commands {
		c := exec.Command(command[0], command[1:]...)
		c.Env = append(os.Environ(), environ...)
		c.Env = append(c.Env, "SLEDGE="+program, "DB="+database, "TMP="+folder, "WAREHOUSES=1", "BUILDERS=1", "VUS=2", "PROFILE_VUS=1 2", "RAMPUP=200ms", "DURATION=400ms",
			"SLEDGE_REPO="+filepath.Join(folder, "jobs.db"), "SLEDGE_SETTINGS="+filepath.Join(folder, "settings.db"))
		if strings.HasPrefix(filepath.Base(command[len(command)-1]), "profile.") {
			c.Env = append(c.Env, "VUS=1 2")
		}
		printed, err := c.CombinedOutput()
		out = append(out, printed...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	for _, want := range []string{
		"SCHEMA COMPLETE", "Schema has been checked successfully.", "3 Virtual Users Created with Monitor VU",
		"Transaction Counter Started", "TEST RESULT : System achieved ", "PERFORMANCE PROFILE", `"NEWORD":`, `Active Virtual Users configured`,
		"deleted successfully.",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing from\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), "ALL VIRTUAL USERS COMPLETE"); n != 7 { // build, check, run, two of the profile, check, delete
		t.Errorf("got %d jobs that were completed, want 7 in\n%s", n, out)
	}
	log, err := os.ReadFile(filepath.Join(folder, "hammerdb.log"))
	if err != nil || !strings.Contains(string(log), "Vuser 1:TEST RESULT") {
		t.Errorf("got the log %q, %v, want the result in it", log, err)
	}
}
