//go:build bench

package bench

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/hammerdb/names"
)

// scripted writes a Tcl script and returns the arguments for sledge to run it.
func scripted(t *testing.T, lines ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.tcl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"console", "auto", path}
}

// consoleEnv returns an environment in which a console uses settings and a repository of the test.
func consoleEnv(t *testing.T) []string {
	folder := t.TempDir()
	return []string{
		"SLEDGE_SETTINGS=" + filepath.Join(folder, "settings.db"), "SLEDGE_REPO=" + filepath.Join(folder, "jobs.db"), "TMP=" + folder,
	}
}

// TestConsoleStart measures the time from the start of the program to the first command of its
// console, which is also the time to the first prompt.
func TestConsoleStart(t *testing.T) {
	env := consoleEnv(t)
	arguments := scripted(t, `puts ready`)
	execute(t, env, sledgeProgram, arguments...) // unpacks the Tcl interpreter, as the first start on a machine does
	var millis []float64
	for range 10 * rounds() {
		cmd := command(t, env, sledgeProgram, arguments...)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
		}
		millis = append(millis, float64(time.Since(start))/float64(time.Millisecond))
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	note(t, figure{
		What: "console: from start of the program to its first command", Value: median(millis), Unit: "ms", Target: atMost(100),
		Detail: spread(millis),
	})
}

// TestConsoleVirtualUsers measures how long vucreate takes for 1,000 users.
func TestConsoleVirtualUsers(t *testing.T) {
	arguments := scripted(t,
		"dbset db sqlite", "loadscript", "vuset vu 1000",
		"set begin [clock milliseconds]", "vucreate", `puts "took [expr {[clock milliseconds] - $begin}] ms"`, "vudestroy")
	output := string(execute(t, consoleEnv(t), sledgeProgram, arguments...).output)
	note(t, figure{
		What: "console: vucreate of 1,000 virtual users", Value: captured(t, output, `took (\d+) ms`) / 1000, Unit: "s", Target: atMost(2),
	})
}

// TestConsoleRun compares the NOPM of a run from a Tcl script with those of the same run by "sledge
// run". Every other round begins with the script, because the schema is slightly larger for the
// second run.
func TestConsoleRun(t *testing.T) {
	const users, rampUp = 2, 2 * time.Second
	p := openPostgreSQL(t, "bench_console")
	p.drop(t)
	build(t, p, 2, builders)
	byRun := slices.DeleteFunc(runArguments(p, users, rampUp, trial()), func(a string) bool { return a == "--no-repo" })
	values := p.values()
	lines := []string{"dbset db pg"}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		dict := "tpcc"
		if slices.Contains([]string{"host", "port", "ssl_mode"}, name) {
			dict = "connection"
		}
		lines = append(lines, fmt.Sprintf("diset %s %s {%s}", dict, names.Key("postgresql", "tprocc", name), values[name]))
	}
	byScript := scripted(t, append(lines,
		fmt.Sprintf("diset tpcc pg_rampup %s", rampUp), fmt.Sprintf("diset tpcc pg_duration %s", trial()),
		fmt.Sprintf("vuset vu %d", users), "vuset delay 0", "vurun", "vudestroy")...)
	env := consoleEnv(t)
	const nopm = `achieved (\d+) NOPM`
	var script, run []float64
	measure := func(list *[]float64, arguments []string) {
		*list = append(*list, captured(t, string(execute(t, env, sledgeProgram, arguments...).output), nopm))
	}
	for i := range 4 * rounds() {
		if i%2 == 0 {
			measure(&run, byRun)
		}
		measure(&script, byScript)
		if i%2 == 1 {
			measure(&run, byRun)
		}
	}
	p.drop(t)
	r := ratios(script, run)
	note(t, figure{
		What:  fmt.Sprintf("%s: NOPM of a Tcl script against sledge run, %d users", p.title(), users),
		Value: median(r), Unit: "x", Target: atLeast(0.98),
		Detail: fmt.Sprintf("%.0f against %.0f NOPM; %s", median(script), median(run), spread(r)),
	})
}

// captured returns the number that a pattern matches in a program's output.
func captured(t *testing.T, output, pattern string) float64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(output)
	if m == nil {
		t.Fatalf("%q is not in\n%s", pattern, lastLines(output))
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
