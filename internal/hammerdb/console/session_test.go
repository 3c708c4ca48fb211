package console

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sledge/internal/catalog"
	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/testserver"
	"sledge/internal/workload"
	"sledge/internal/workload/tprocc"
)

// varying are the parts of the output that differ from run to run, with their replacements in
// golden files.
var varying = []struct {
	part *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`jobid=[0-9A-F]{24}`), "jobid=<id>"},
	{regexp.MustCompile(`\b[0-9A-F]{24}\b`), "<id>"},
	{regexp.MustCompile(`DBVersion:\S+( \(.*\))?`), "DBVersion:<version>"},
	{regexp.MustCompile(`achieved \d+ (\w+) (from|at) \d+`), "achieved <n> $1 $2 <n>"},
	{regexp.MustCompile(`achieved \d+ (\w+) TPM at \d+`), "achieved <n> $1 TPM at <n>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b(?: )?`), "<time> "},
	{regexp.MustCompile(`[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \S+ \d{4}`), "<time>"},
	{regexp.MustCompile(`[\d,]+ transactions done, [\d,]+ rolled back as the workload asks, 0 failed, [\d,]+ retries`), "<how they ended>"},
	{regexp.MustCompile(`counted [\d,]+ (.*), the server [\d,]+: they agree(?: \(.*\))?`), "counted <n> $1, the server <n>: they agree"},
	// A slow machine does few transactions, or none for a while.
	{regexp.MustCompile(`counted [\d,]+ (.*), the server [\d,]+: this says nothing, because anything from \S+ to \S+ would fit\. Run for longer\.`), "counted <n> $1, the server <n>: they agree"},
	{regexp.MustCompile(`(?m)^.*(Flow: no transaction ended for|No transaction has ended for|Waiting for the server's counts).*\n`), ""},
	{regexp.MustCompile(`(?m)^.*(Unfinished: .* had not ended when|The time is up:|Machine: others used|Client: it did not run for|Client: its threads waited|This client did not run for).*\n`), ""},
	{regexp.MustCompile(`GENERATED in \d+ MINUTES`), "GENERATED in <n> MINUTES"},
	{regexp.MustCompile(`tid0x\w+`), "<thread>"},
	// These depend on the build and on the machine.
	{regexp.MustCompile(`(?m)^(Checking database library for Db2\n).*$`), "$1<whether there is one>"},
	{regexp.MustCompile(`(?m)^System Discovery: .+ \| OS: .+ \| Memory: \S+ \S+$`), "System Discovery: <machine>"},
	{regexp.MustCompile(`(?m)^Started CPU Metrics for .+:\(\d+ CPUs\)$`), "Started CPU Metrics for <model>:(<n> CPUs)"},
	{regexp.MustCompile(`(?m)^CPU all usr.*\n`), ""},             // of a slow machine
	{regexp.MustCompile(`(?m)^.*pg_tpch_superuserpass.*\n`), ""}, // its value may be the default
	{regexp.MustCompile(`(completed|complete|returned|set\(s\)|set\(s\) \d+|set) in [\d.]+ seconds`), "$1 in <n> seconds"},
	{regexp.MustCompile(`(returning rows.*) is [\d.]+`), "$1 is <n>"},
	{regexp.MustCompile(`"(geomean|querytime)": "[\d.]+"`), "\"$1\": \"<n>\""},
	{regexp.MustCompile(`(?m)^= \d+$`), "= <n>"},
	{regexp.MustCompile(`(?m)^$\n`), "~\n"},                       // an empty line; in golden files empty lines are ignored
	{regexp.MustCompile(`(?m)^Vuser 1:\w+: \d+ of \d+ .*\n`), ""}, // progress, which only slow machines show
}

// session runs each line of a golden file that begins with "> " and compares the output. "= "
// begins the result of a command, "! " the exit code of a recorded failure, and "!!" an error that
// ends a script. "$ " begins a statement that the superuser runs on the server at that point. $DIR
// is a temporary folder, and $NAME the entry of given with that name.
func session(t *testing.T, golden string, given map[string]string, environ ...string) {
	t.Helper()
	dir := t.TempDir()
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(want), " SCHEMA COMPLETE\n") {
		testserver.SkipSQLiteUnderRace(t)
	}
	if err := os.CopyFS(filepath.Join(dir, "config"), os.DirFS(filepath.Join("testdata", "config"))); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c, err := New(Config{
		Resolver: resolver, Out: &out, Version: "v0.test",
		Runner:    engine.Local{Catalog: edition.Catalog},
		Environ:   append(environ, "TMP="+dir),
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(filepath.Join(dir, "jobs.db")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	given["DIR"] = dir
	var there, back []string
	for name, value := range given {
		there, back = append(there, "$"+name, value), append(back, value, "$"+name)
	}
	fill, hide := strings.NewReplacer(there...), strings.NewReplacer(back...)
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		if strings.HasPrefix(line, "#") || line == "\n" {
			got.WriteString(line)
			continue
		}
		if statement, is := strings.CutPrefix(line, "$ "); is {
			got.WriteString(line)
			onServer(t, c, statement)
			continue
		}
		text, is := strings.CutPrefix(line, "> ")
		if !is {
			continue
		}
		out.Reset()
		c.failing.first = nil
		words := strings.Fields(fill.Replace(text))
		returned, err := c.Call(context.Background(), Call{Name: words[0], Args: words[1:], Folder: dir})
		printed := out.String()
		if returned != "" {
			printed += "= " + returned + "\n"
		}
		if c.failing.first != nil {
			printed += "! " + strconv.Itoa(int(job.ExitOf(c.failing.first))) + "\n"
		}
		if err != nil {
			printed += "!! " + err.Error() + "\n"
		}
		printed = inOrder(printed)
		for _, v := range varying {
			printed = v.part.ReplaceAllString(printed, v.name)
		}
		got.WriteString(line + hide.Replace(printed))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// inOrder sorts the lines of virtual users that run concurrently: all lines of a run without a
// monitor; otherwise the lines of users that start, while the monitor reports the time, and of
// those that end. On a slow machine, users that end early may print after the end of the run.
func inOrder(printed string) string {
	lines := strings.Split(printed, "\n")
	isEnd := func(line string) bool { return strings.HasSuffix(line, ":FINISHED SUCCESS") }
	isOfRun := func(line string) bool {
		return strings.HasPrefix(line, "Vuser ") && !strings.HasPrefix(line, "Vuser 1:Test complete")
	}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "Vuser 1:Verifying"):
			isOfUser := func(line string) bool { return isOfRun(line) && strings.Contains(line, ":") }
			from := i
			for from > 0 && isOfUser(lines[from-1]) {
				from--
			}
			sortUsers(lines[from:], isOfUser, 1)
		case strings.HasPrefix(line, "Vuser 1:Beginning rampup"):
			if over := slices.IndexFunc(lines[i:], func(line string) bool { return strings.HasPrefix(line, "Vuser 1:Test complete") }); over > 0 {
				slices.SortStableFunc(lines[i:i+over+1], func(a, b string) int { return boolInt(isEnd(a)) - boolInt(isEnd(b)) })
			}
			sortUsers(lines[i+1:], isOfRun, math.MaxInt)
		case isEnd(line):
			sortUsers(lines[i:], isEnd, math.MaxInt)
		}
	}
	return strings.Join(lines, "\n")
}

func boolInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// sortUsers sorts the leading lines of a kind by virtual user, with user 1 at the position first.
// The lines of one user stay in order.
func sortUsers(lines []string, ofKind func(string) bool, first int) {
	n := 0
	for n < len(lines) && ofKind(lines[n]) {
		n++
	}
	position := func(line string) (p int) {
		_, _ = fmt.Sscanf(line, "Vuser %d:", &p) // 0 if the line is not a virtual user's
		if p == 1 {
			p = first
		}
		return p
	}
	slices.SortStableFunc(lines[:n], func(a, b string) int { return cmp.Compare(position(a), position(b)) })
}

func TestSessions_EqualTheGoldenFiles(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join("testdata", "*.session"))
	if err != nil || len(goldens) == 0 {
		t.Fatalf("found the sessions %v, %v", goldens, err)
	}
	for _, golden := range goldens {
		t.Run(filepath.Base(golden), func(t *testing.T) { session(t, golden, map[string]string{}) })
	}
}

func TestSession_OnPostgreSQLEqualsTheGoldenFile(t *testing.T) {
	values := testserver.Open(t, "postgresql").Values()
	session(t, filepath.Join("testdata", "postgresql", "queries.session"),
		map[string]string{"HOST": values["host"], "PORT": values["port"], "PASSWORD": values["superuser_password"]})
}

// onServer executes a statement as the superuser of the settings.
func onServer(t *testing.T, c *Console, statement string) {
	t.Helper()
	order, err := c.order(c.spec(job.Check))
	if err != nil {
		t.Fatal(err)
	}
	s, err := order.Plan.Database.Sessions.Connect(t.Context(), order.Plan.Connection, database.Observer)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestQuitEndsTheScript(t *testing.T) {
	c, _ := newConsole(t, "")
	if _, err := c.Call(context.Background(), Call{Name: "quit"}); !errors.Is(err, ErrQuit) {
		t.Errorf("got %v, want ErrQuit", err)
	}
}

// TestCommands_AreCalledWithWrongArguments checks that the session of wrong calls contains every
// command.
func TestCommands_AreCalledWithWrongArguments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "arguments.session"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Commands() {
		for _, line := range []string{"\n> " + name + "\n", "\n> " + name + " a b c d e f\n"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("arguments.session lacks %q", strings.TrimSpace(line))
			}
		}
	}
}

// interruptingRunner is a runner that presses Ctrl-C once, when the first rows of a build are
// loaded.
type interruptingRunner struct {
	job.Runner
	press func()
}

func (r *interruptingRunner) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	control.Watchers = append(control.Watchers, r)
	return r.Runner.Do(ctx, spec, control)
}

func (r *interruptingRunner) Watch(e job.Event) {
	if e.Progress != nil && e.Progress.Step == "load" && e.Progress.Done > 0 {
		r.press()
	}
}

func TestBuild_ResumesAfterAnInterruption(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	dir := t.TempDir()
	var out bytes.Buffer
	runner := &interruptingRunner{Runner: engine.Local{Catalog: edition.Catalog}}
	c, err := New(Config{
		Resolver: resolver, Out: &out, Runner: runner, Environ: []string{"TMP=" + dir},
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(filepath.Join(dir, "jobs.db")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	runner.press = sync.OnceFunc(func() { c.Interrupt() })
	call(t, c, "dbset db sqlite")
	call(t, c, "diset connection sqlite_file "+filepath.Join(dir, "tpcc.sqlite"))
	if _, err := c.Call(context.Background(), Call{Name: "buildschema"}); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("got %v, want a build that was interrupted, in\n%s", err, out.String())
	}
	if want := "Error in Virtual User 1: the build was aborted; the schema in "; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant %q in it", out.String(), want)
	}
	for _, test := range []struct{ line, want string }{
		{"buildschema", "buildschema resume), or delete the schema"},
		{"buildschema again", "Usage: buildschema [resume]"},
		{"buildschema resume", "TPCC SCHEMA COMPLETE"},
		{"checkschema", "has been checked successfully."},
	} {
		out.Reset()
		call(t, c, test.line)
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: got\n%s\nwant %q in it", test.line, out.String(), test.want)
		}
	}
}

// presser is an output that presses Ctrl-C once, when it receives a text.
type presser struct {
	bytes.Buffer
	at    string
	press func()
}

func (p *presser) Write(text []byte) (int, error) {
	if p.at != "" && bytes.Contains(text, []byte(p.at)) {
		p.at = ""
		p.press()
	}
	return p.Buffer.Write(text)
}

// pressed returns a console, its output and its folder.
func pressed(t *testing.T) (*Console, *presser, string) {
	t.Helper()
	dir := t.TempDir()
	out := &presser{}
	c, err := New(Config{
		Resolver: resolver, Out: out, Runner: engine.Local{Catalog: edition.Catalog}, Environ: []string{"TMP=" + dir},
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(filepath.Join(dir, "jobs.db")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	out.press = func() { c.Interrupt() }
	return c, out, dir
}

// TestCtrlCEndsEveryIteration stops the first of three runs, and then the pause
// after it.
func TestCtrlCEndsEveryIteration(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	c, out, dir := pressed(t)
	for _, line := range []string{
		"dbset db sqlite", "diset connection sqlite_file " + filepath.Join(dir, "tpcc.sqlite"), "buildschema",
		"diset tpcc sqlite_rampup 0", "loadscript", "vuset vu 1", "vuset iterations 3", "vuset repeat 60000",
	} {
		call(t, c, line)
	}
	for _, test := range []struct{ at, duration, want string }{
		{"Timing test period", "1", "Vuser 1:FINISHED FAILED"},
		{lines.AllComplete, "0.01", "Vuser 1:FINISHED SUCCESS"},
	} {
		call(t, c, "diset tpcc sqlite_duration "+test.duration)
		out.Reset()
		out.at = test.at
		id, err := c.Call(t.Context(), Call{Name: "vurun"})
		if !errors.Is(err, ErrInterrupted) || !strings.HasPrefix(id, "Benchmark Run jobid=") {
			t.Errorf("at %q: got %q, %v", test.at, id, err)
		}
		if text := out.String(); strings.Count(text, "TEST RESULT") != 1 || !strings.Contains(text, test.want) {
			t.Errorf("at %q: got\n%s\nwant one run, with %q", test.at, text, test.want)
		}
	}
}

// TestCtrlCEndsARunOfQueries stops a run that would go on for days.
func TestCtrlCEndsARunOfQueries(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	c, out, dir := pressed(t)
	for _, line := range []string{
		"dbset db sqlite", "dbset bm TPC-H", "diset tpch sqlite_tpch_file " + filepath.Join(dir, "tpch.sqlite"), "diset tpch sqlite_scale_fact 0.01",
		"buildschema", "diset tpch sqlite_total_querysets 1000000", "vuset vu 2", "vuset delay 0",
	} {
		call(t, c, line)
	}
	out.Reset()
	out.at = "(3 of 22)"
	id, err := c.Call(t.Context(), Call{Name: "vurun"})
	if !errors.Is(err, ErrInterrupted) || !strings.HasPrefix(id, "Benchmark Run jobid=") {
		t.Errorf("got %q, %v", id, err)
	}
	if text := out.String(); !strings.Contains(text, "before its work was done: its result is partial") {
		t.Errorf("got\n%s\nwant a partial result", text)
	}
}

// stubbornRunner is a runner that continues until it is aborted.
type stubbornRunner struct{ press func() }

func (s *stubbornRunner) Do(ctx context.Context, _ job.Spec, control job.Control) (job.Result, error) {
	go s.press()
	<-control.Stop
	if ctx.Err() != nil {
		return job.Result{}, errors.New("aborted by the first Ctrl-C")
	}
	go s.press()
	<-ctx.Done()
	return job.Result{Status: job.Failed}, job.WithExit(job.ExitAborted, errors.New("aborted"))
}

func TestCtrlCStopsARunAndThenAbortsIt(t *testing.T) {
	var out bytes.Buffer
	runner := &stubbornRunner{}
	c, err := New(Config{Resolver: resolver, Out: &out, Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	runner.press = func() { c.Interrupt() }
	for _, line := range []string{"dbset db sqlite", "giset commandline jobs_disable 1", "loadscript", "vuset vu 1"} {
		call(t, c, line)
	}
	if _, err := c.Call(t.Context(), Call{Name: "vurun"}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v, want %v", err, ErrInterrupted)
	}
	stopping, aborting := strings.Index(out.String(), "\nStopping: "), strings.Index(out.String(), "\nAborting\n")
	if stopping < 0 || aborting < stopping || !strings.HasSuffix(out.String(), "aborted\nVuser 1:FINISHED FAILED\nVuser 2:FINISHED FAILED\nALL VIRTUAL USERS COMPLETE\n") {
		t.Errorf("got\n%s\nwant the run to be stopped and then aborted", out.String())
	}
}

// specRecorder is a runner that does nothing but record the requested jobs.
type specRecorder struct{ specs []job.Spec }

func (r *specRecorder) Do(_ context.Context, spec job.Spec, _ job.Control) (job.Result, error) {
	r.specs = append(r.specs, spec)
	return job.Result{Status: job.Succeeded}, nil
}

// Warnings about a connection pool are printed before each run that uses the pool.
func TestWarnings_PrecedeARun(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "pool.toml")
	const pool = "[connections.a]\nhost = \"db1\"\n[connections.b]\nhost = \"db2\"\n[transactions.new_order]\nconnections = [\"a\"]\n" +
		"[transactions.payment]\nconnections = [\"a\"]\n[transactions.delivery]\nconnections = [\"a\"]\n" +
		"[transactions.stock_level]\nconnections = [\"a\"]\n[transactions.order_status]\nconnections = [\"a\"]\n"
	if err := os.WriteFile(file, []byte(pool), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	runner := &specRecorder{}
	c, err := New(Config{
		Resolver: resolver, Out: &out, Runner: runner,
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(filepath.Join(folder, "jobs.db")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, line := range []string{
		"dbset db pg", "diset tpcc pg_driver timed", "diset tpcc pg_pool_file " + file,
		"vuset vu 1", "vuset iterations 2", "vuset repeat 0", "vurun", "vudestroy", "autopilot 1 2",
	} {
		call(t, c, line)
	}
	const warning = "Warning: %s: no transaction goes to b: no user connects there\n"
	if n := strings.Count(out.String(), fmt.Sprintf(warning, file)); n != 3 || len(runner.specs) != 4 {
		t.Errorf("got %d warnings before %d runs, want 3 before 4, because two runs are iterations of one vurun, in\n%s", n, len(runner.specs), &out)
	}
}

// A run is bound once, regardless of its iterations, and before its virtual users are created.
func TestRun_IsBoundOnce(t *testing.T) {
	bound := 0
	counted := *tprocc.Workload
	pauses := *tprocc.Workload.Users.Pauses
	pauses.On = func(options any) bool { bound++; return tprocc.Workload.Users.Pauses.On(options) } // binding a run calls it
	counted.Users.Pauses = &pauses
	var out bytes.Buffer
	runner := &specRecorder{}
	c, err := New(Config{
		Resolver: settings.Resolver{Catalog: catalog.Catalog{Databases: resolver.Databases, Workloads: []*workload.Workload{&counted}}},
		Out:      &out, Runner: runner,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, line := range []string{
		"dbset db sqlite", "giset commandline jobs_disable 1", "diset tpcc sqlite_driver timed", "diset tpcc sqlite_rampup 0.01",
		"vuset vu 4", "vuset iterations 3", "vuset repeat 0", "vurun",
	} {
		call(t, c, line)
	}
	if bound != 1 || len(runner.specs) != 3 {
		t.Fatalf("got %d runs of an order that was bound %d times, want 3 runs of an order that was bound once, in\n%s", len(runner.specs), bound, &out)
	}
	for _, spec := range runner.specs {
		if spec.Users != 4 || spec.Options["user_delay"] != "100ms" {
			t.Errorf("got %d users %s apart, want 4 within half of the ramp-up, 100ms apart", spec.Users, spec.Options["user_delay"])
		}
	}
	out.Reset()
	runner.specs = nil
	call(t, c, "vudestroy")
	call(t, c, "diset tpcc sqlite_async_scale true")
	call(t, c, "diset tpcc sqlite_async_client 50000")
	call(t, c, "vurun")
	if len(runner.specs) > 0 || strings.Contains(out.String(), "Created") || !strings.Contains(out.String(), "with 50000 each are 200000 clients") {
		t.Errorf("got\n%s\nwant a refusal before virtual users are created", &out)
	}
}

// A script that sets localhost, or uses it as the default, must not build or delete on another
// server because of environment variables or files of psql or mariadb.
func TestScriptsGoWhereTheirSettingsSay(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".my.cnf"), []byte("[client]\nhost=elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environ := []string{"TMP=" + dir}
	for _, line := range []string{"HOME=" + dir, "PGHOST=elsewhere", "PGPORT=1", "PGPASSWORD=x", "MYSQL_HOST=elsewhere", "MYSQL_PWD=x"} {
		name, value, _ := strings.Cut(line, "=")
		t.Setenv(name, value)
		environ = append(environ, line)
	}
	var out bytes.Buffer
	runner := &specRecorder{}
	c, err := New(Config{
		Resolver: resolver, Out: &out, Runner: runner, Environ: environ,
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(filepath.Join(dir, "jobs.db")) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, line := range []string{
		"dbset db pg", "diset connection pg_host localhost", "diset tpcc pg_user me", "deleteschema",
		"dbset db maria", "deleteschema",
	} {
		_, _ = c.Call(t.Context(), Call{Name: strings.Fields(line)[0], Args: strings.Fields(line)[1:]}) // the same value is an error
	}
	if got, want := fmt.Sprint(len(runner.specs)), "2"; got != want {
		t.Fatalf("got %s jobs, want %s, in\n%s", got, want, &out)
	}
	for _, spec := range runner.specs {
		for _, name := range []string{"host", "port", "password", "superuser_password"} {
			if value, ok := spec.Options[name]; ok {
				t.Errorf("%s: got %s %q, want the default", spec.Database, name, value)
			}
		}
	}
	if got := runner.specs[0].Options["user"]; got != "me" {
		t.Errorf("got user %q, want the user that diset set", got)
	}
}
