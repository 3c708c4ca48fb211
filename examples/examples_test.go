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

// databases are those with examples, and what of a test server's options an
// example takes from which variable.
var databases = []struct {
	name      string
	variables map[string]string // by the option's name
}{
	{"postgresql", map[string]string{"host": "HOST", "port": "PORT", "superuser": "SUPERUSER", "superuser_password": "SUPERUSERPASS"}},
	{"mariadb", map[string]string{"host": "HOST", "port": "PORT", "user": "USERNAME", "password": "PASS"}},
	{"mysql", map[string]string{"host": "HOST", "port": "PORT", "user": "USERNAME", "password": "PASS"}},
	{"sqlite", nil},
}

// TestExamplesDoAWholeTest runs every example as its user would, by the shell
// script, with one warehouse and times of seconds.
func TestExamplesDoAWholeTest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are run by a shell script")
	}
	program := filepath.Join(t.TempDir(), "sledge")
	if out, err := exec.Command("go", "build", "-o", program, "sledge/cmd/sledge").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel() // a run spends its time waiting for the clock
			var environ []string
			if d.variables != nil {
				server := testserver.Open(t, d.name)
				for option, value := range server.Values() {
					if variable := d.variables[option]; variable != "" {
						environ = append(environ, variable+"="+value)
					}
				}
			}
			for _, language := range []string{"tcl", "python"} {
				t.Run(language, func(t *testing.T) { runExample(t, program, language, d.name, environ) })
			}
		})
	}
}

func runExample(t *testing.T, program, language, database string, environ []string) {
	folder := t.TempDir()
	c := exec.Command("./tprocc.sh", language, database)
	c.Env = append(os.Environ(), environ...)
	c.Env = append(c.Env, "SLEDGE="+program, "TMP="+folder, "WAREHOUSES=1", "BUILDERS=1", "VUS=2", "PROFILE_VUS=1 2", "RAMPUP=200ms", "DURATION=2s",
		"SLEDGE_REPO="+filepath.Join(folder, "jobs.db"), "SLEDGE_SETTINGS="+filepath.Join(folder, "settings.db"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
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
