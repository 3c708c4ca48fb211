package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/spf13/cobra"

	"sledge/internal/catalog/edition"
	"sledge/internal/cli/program"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// runner is a function that implements job.Runner. Tests of the command line use it to check the
// jobs that it starts, and its output for given results.
type runner func(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error)

func (r runner) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	return r(ctx, spec, control)
}

// world is the environment of a command line, with its outputs and files.
type world struct {
	*program.Program
	out, err   bytes.Buffer
	signals    chan os.Signal
	exits      []int
	repository string
	repeated   int        // commands that run repeated
	asking     sync.Mutex // held while asked changes, because jobs run side by side in the web application
	asked      []job.Spec // the runner's jobs
}

// newWorld returns a world with an empty repository and a runner that succeeds.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{signals: make(chan os.Signal, 3), repository: filepath.Join(t.TempDir(), "jobs.db")}
	w.Program = &program.Program{
		Resolver: settings.Resolver{Catalog: edition.Catalog},
		Version:  "v1.2.3",
		Environ:  []string{"SLEDGE_REPO=" + w.repository},
		Stdin:    strings.NewReader(""),
		Signals:  w.signals,
		Exit:     func(code int) { w.exits = append(w.exits, code) },
		Now:      ticking(program.Together),
		ReadPassword: func() (string, error) {
			t.Error("the program asked for a password")
			return "", nil
		},
	}
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{Status: job.Succeeded, Extent: job.Extent{Started: time.Now()}}, nil
	})
	return w
}

// ticking is a clock that advances by step at each call.
func ticking(step time.Duration) func() time.Time {
	now := time.Now()
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

// interrupt presses Ctrl-C.
func (w *world) interrupt() { w.signals <- os.Interrupt }

// does sets the runner's function and records the jobs that it gets.
func (w *world) does(what runner) {
	w.Runner = runner(func(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
		w.asking.Lock()
		w.asked = append(w.asked, spec)
		w.asking.Unlock()
		return what(ctx, spec, control)
	})
}

// run runs one command line. It clears the outputs first. It repeats a run that is not valid because the machine was so
// busy that this process stood still.
func (w *world) run(args ...string) job.Exit {
	const tries = 3
	for try := 1; ; try++ {
		w.out.Reset()
		w.err.Reset()
		w.Args, w.Stdout, w.Stderr = args, &w.out, &w.err
		code := Run(context.Background(), w.Program)
		starved := code == job.ExitInvalid && strings.Contains(w.err.String(), "this client did not run for")
		if !starved || try == tries {
			return code
		}
		w.repeated++
	}
}

// jobs returns the jobs of the repository.
func (w *world) jobs(t *testing.T) []job.Job {
	t.Helper()
	store, err := repository.Open(w.repository)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	jobs, err := store.List(context.Background(), repository.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// lastLine returns the last line of text, without its newline.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// measured returns the result of a small run.
func measured() job.Result {
	stripe := meter.NewStripe()
	for i := range 100 {
		d := time.Duration(i+1) * time.Millisecond
		stripe.Record(meter.Record{Kind: meter.Kind(i % 5), Service: d, Response: d})
	}
	sum := meter.NewSummary(5)
	stripe.Take(&sum)
	sum.Elapsed = time.Minute
	return job.Result{
		Status: job.Succeeded, Line: "TEST RESULT : System achieved 20 NOPM from 100 SQLite TPM",
		Metrics: []job.Metric{{Name: "NOPM", Value: 20}, {Name: "TPM", Value: 100}},
		Extent:  job.Extent{Users: 2, Started: time.Now(), Elapsed: 60}, Measured: job.Measured{Summary: sum, Kinds: []string{"new order", "payment", "delivery", "stock level", "order status"}},
	}
}

// tell sends an event to every watcher, as a runner does.
func tell(control job.Control, e job.Event) {
	e.At = time.Now()
	for _, w := range control.Watchers {
		w.Watch(e)
	}
}

func TestHelp_EveryCommandHasADescriptionAndExamples(t *testing.T) {
	w := newWorld(t)
	var visit func(c *cobra.Command, path ...string)
	visit = func(c *cobra.Command, path ...string) {
		if c.Short == "" || c.Example == "" {
			t.Errorf("sledge %s: got no description or no example", strings.Join(path, " "))
		}
		if code := w.run(append(path, "--help")...); code != job.OK {
			t.Errorf("sledge %s --help: got exit code %d, want 0", strings.Join(path, " "), code)
		}
		for _, want := range []string{"Usage:", "Examples:", c.Example} {
			if !strings.Contains(w.out.String(), want) {
				t.Errorf("sledge %s --help: got no %q in %s", strings.Join(path, " "), want, &w.out)
			}
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "completion" {
				visit(sub, append(path, sub.Name())...)
			}
		}
	}
	visit(Commands(w.Program))
}

func TestHelp_WithoutCommandListsExitCodes(t *testing.T) {
	w := newWorld(t)
	if code := w.run(); code != job.OK {
		t.Errorf("got exit code %d, want 0", code)
	}
	for _, e := range job.ExitMeanings {
		if !strings.Contains(w.out.String(), e.Meaning) {
			t.Errorf("got no exit code %d (%s) in the help", e.Code, e.Meaning)
		}
	}
	build, run := strings.Index(w.out.String(), "\n  build "), strings.Index(w.out.String(), "\n  run ")
	if build < 0 || run < build {
		t.Errorf("got build at %d and run at %d, want them in the order of a load test", build, run)
	}
}

// Bad input changes nothing: it creates no job, and no repository.
func TestUsageErrors_ChangeNothing(t *testing.T) {
	tests := []struct {
		args string
		want string
	}{
		{"biuld", "did you mean build?"},
		{"buid --db pg --users 4", "did you mean build?"},
		{"jobs shwo --hammerdb", "did you mean show?"},
		{"nosuch", "sledge --help"},
		{"help nosuch", "nosuch"},
		{"jobs lsit", "did you mean list?"},
		{"completion nosuch", "nosuch"},
		{"--nosuch", "--nosuch"},
		{"run", "--db"},
		{"run --db pg extra", "takes only flags"},
		{"run --db pgg", "did you mean pg?"},
		{"run --db pg --hsot x", "did you mean --host?"},
		{"run --db pg --password x", "--password-file"},
		{"run --db pg --port", "--port"},
		{"run --db pg --port many", "option port"},
		{"run --db pg --interval soon", "--interval"},
		{"run --db pg --interval -1s", "--interval"},
		{"run --db pg --interval -1", "--interval"},
		{"run --db pg --interval NaN", "--interval"},
		{"build --db sqlite --file a.sqlite", "sledge build has no flag --file: --dbname sets this option"},
		{"build --db pg --pg-count-ware 5", "--warehouses sets this option"},
		{"run --db pg --pg_storedprocs false", "--set pg_storedprocs=VALUE sets this option"},
		{"check --db pg --duration 5", "sledge check has no flag --duration: it belongs to sledge run"},
		{"delete --db pg --seed 5", "sledge delete has no flag --seed: it belongs to sledge build, sledge run"},
		{"run --db pg --builders 5", "it belongs to sledge build"},
		{"run --url pq://h/d", "did you mean pg?"},
		{"run --db pg --users 0", "--users"},
		{"run --db pg --resume", "--resume"},
		{"run --db pg --users 1,x", `"x" is not a whole number`},
		{"run --db pg --users 1,,2", `"" is not a whole number`},
		{"run --db pg --users 1,0", "0 is less than 1"},
		{"run --db pg --users 1,200000", "200000"},
		{"run --db pg --profile -1", "--profile"},
		{"run --db pg --profile x", "--profile"},
		{"jobs import", "hammer.DB"},
		{"run --db sqlite --host h", "--host is not an option of SQLite"},
		{"run --db pg --set prot=1", "did you mean port?"},
		{"run --db pg --set pg_prot=1", "did you mean pg_port?"},
		{"run --db pg --set pg_port", "name=value"},
		{"run --db pg --config nosuch.toml", "nosuch.toml"},
		{"run --db pg --password-file nosuch", "--password-file"},
		{"run --db pg --ask-password", "needs a terminal"},
		{"build --db pg --users 3", "--users"},
		{"delete --db", "--db"},
		{"demo extra", `workload "extra" is not known`},
		{"demo tprocc extra", "takes one workload"},
		{"options nosuch", "nosuch"},
		{"options pg nosuch", "nosuch"},
		{"options pg tprocc pg_count_waer", "did you mean pg_count_ware?"},
		{"options pg tprocc pg_port more", "3"},
		{"version extra", "takes only flags"},
		{"watch", "--db"},
		{"watch --db pg extra", "takes only flags"},
		{"watch --db sqlite", "SQLite does not count its transactions"},
		{"watch --db pg --interval 0.5", "--interval: 500ms is less than 1s"},
		{"watch --db pg --for 5", "--for: 5s is less than the 10s of --interval"},
		{"watch --db pg --log nosuch/tpm.log", "--log: open nosuch/tpm.log"},
		{"top", "--db"},
		{"top --db sqlite", "--db: Sledge cannot list the active sessions of SQLite"},
		{"top --db pg --host 127.0.0.1 --port 1 --record nosuch/top.jsonl", "--record: open nosuch/top.jsonl"},
		{"top --db pg --host 127.0.0.1 --port 1 --record program_test.go", `--record: "program_test.go" exists`},
		{"top --replay nosuch.jsonl", "--replay: "},
		{"top --replay program_test.go", "not a recording of sledge top"},
		{"top --db pg --replay nosuch.jsonl", "--db: a recording is replayed without a server"},
		{"jobs show", "name a job"},
		{"jobs show a b", "name a job"},
		{"jobs delete", "name jobs by"},
		{"jobs list --status suceeded", "did you mean succeeded?"},
		{"jobs list --action bild", "did you mean build?"},
		{"jobs list --db nosuch", "--db"},
		{"jobs list --workload nosuch", "--workload"},
		{"jobs list --limit -1", "--limit"},
	}
	for _, test := range tests {
		w := newWorld(t)
		if code := w.run(strings.Fields(test.args)...); code != job.ExitUsage {
			t.Errorf("sledge %s: got exit code %d, want %d", test.args, code, job.ExitUsage)
		}
		if last := lastLine(w.err.String()); !strings.HasPrefix(last, "sledge: ") || !strings.Contains(last, test.want) {
			t.Errorf("sledge %s: got the last line %q, want a line that begins with sledge: and contains %q", test.args, last, test.want)
		}
		if w.out.Len() > 0 {
			t.Errorf("sledge %s: got %q on the standard output, want nothing", test.args, &w.out)
		}
		if len(w.asked) > 0 {
			t.Errorf("sledge %s: a job began", test.args)
		}
		if _, err := os.Stat(w.repository); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("sledge %s: got a repository, want none", test.args)
		}
	}
}

func TestExitCode_FollowsTheOutcome(t *testing.T) {
	failure := errors.New("the reason")
	tests := []struct {
		name   string
		result job.Result
		err    error
		want   job.Exit
		status job.Status
	}{
		{"succeeded", job.Result{Status: job.Succeeded}, nil, job.OK, job.Succeeded},
		{"error without a code", job.Result{Status: job.Failed}, failure, job.ExitError, job.Failed},
		{"no connection", job.Result{Status: job.Failed}, job.WithExit(job.ExitConnect, failure), job.ExitConnect, job.Failed},
		{"broken rules", job.Result{Status: job.Failed}, job.WithExit(job.ExitCheck, failure), job.ExitCheck, job.Failed},
		{"existing schema", job.Result{Status: job.Failed}, job.WithExit(job.ExitExists, failure), job.ExitExists, job.Failed},
		{"invalid, reported as an error", job.Result{Status: job.Invalid}, job.WithExit(job.ExitInvalid, failure), job.ExitInvalid, job.Invalid},
		{"invalid, reported as a status", job.Result{Status: job.Invalid, Reason: "the reason"}, nil, job.ExitInvalid, job.Invalid},
		{"partial, reported as a status", job.Result{Status: job.Partial, Reason: "the reason"}, nil, job.ExitStopped, job.Partial},
		{"failed, reported as a status", job.Result{Status: job.Failed, Reason: "the reason"}, nil, job.ExitError, job.Failed},
	}
	for _, test := range tests {
		w := newWorld(t)
		w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) { return test.result, test.err })
		if got := w.run("run", "--db", "sqlite"); got != test.want {
			t.Errorf("%s: got exit code %d, want %d", test.name, got, test.want)
		}
		if last := lastLine(w.err.String()); test.want != job.OK && last != "sledge: the reason" {
			t.Errorf("%s: got the last line %q, want the reason", test.name, last)
		}
		if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != test.status {
			t.Errorf("%s: got jobs %v, want one in state %s", test.name, jobs, test.status)
		}
	}
}

func TestError_IsPrintedOnOneLine(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{}, errors.Join(errors.New("first"), errors.New("second"))
	})
	w.run("check", "--db", "sqlite")
	if got, want := lastLine(w.err.String()), "sledge: first; second"; got != want {
		t.Errorf("got the last line %q, want %q", got, want)
	}
}

func TestOutput_SeparatesResultsFromMessages(t *testing.T) {
	w := newWorld(t)
	w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
		tell(control, job.Event{User: 1, Message: "Timing test period of 1 in minutes"})
		tell(control, job.Event{User: 2, Message: "RUNNING"})
		tell(control, job.Event{User: 1, Message: measured().Line})
		return measured(), nil
	})
	const headline, talk, worker = "Vuser 1:TEST RESULT : System achieved 20 NOPM from 100 SQLite TPM\n", "Vuser 1:Timing test period", "Vuser 2:RUNNING"

	if code := w.run("run", "--db", "sqlite", "--users", "2"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	out, err := w.out.String(), w.err.String()
	id := string(w.jobs(t)[0].ID)
	if !strings.HasPrefix(out, "✓ Valid  20.00 NOPM") || !strings.Contains(out, "new order") || !strings.Contains(out, "sledge jobs show "+id[:12]) {
		t.Errorf("got the standard output %q, want the figures first, a table, and where to look next", out)
	}
	if !strings.Contains(err, "2 virtual users, job "+id+"\n") || strings.Contains(out+err, "Vuser") {
		t.Errorf("got the standard error %q, want the job's ID and none of HammerDB's lines", err)
	}

	w.run("run", "--db", "sqlite", "--users", "2", "--hammerdb")
	out, err = w.out.String(), w.err.String()
	if !strings.Contains(out, headline) || !strings.Contains(out, "new order") {
		t.Errorf("got the standard output %q, want HammerDB's headline and a table", out)
	}
	if !strings.Contains(err, talk) || strings.Contains(err, worker) || strings.Contains(out, talk) {
		t.Errorf("got the standard error %q, want the lines of the monitor and of no other user", err)
	}
	if want := "Benchmark Run jobid=" + string(w.jobs(t)[0].ID) + "\n"; !strings.Contains(err, want) {
		t.Errorf("got no %q in %q", want, err)
	}

	w.run("run", "--db", "sqlite", "--verbose")
	if !strings.Contains(w.err.String(), worker) {
		t.Errorf("got the standard error %q with --verbose, want the lines of every virtual user", &w.err)
	}

	w.run("run", "--db", "sqlite", "--json")
	var document struct {
		Schema string `json:"schema"`
		Status string `json:"status"`
	}
	d := json.NewDecoder(bytes.NewReader(w.out.Bytes()))
	if err := d.Decode(&document); err != nil || document.Status != "succeeded" || document.Schema == "" {
		t.Errorf("got document %+v and error %v of %q", document, err, &w.out)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("got more than one JSON document: %q", &w.out)
	}
}

func TestJSON_AFailureIsADocument(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{Status: job.Failed, Reason: "no server"}, job.WithExit(job.ExitConnect, errors.New("no server"))
	})
	if code := w.run("run", "--db", "sqlite", "--json"); code != job.ExitConnect {
		t.Errorf("got exit code %d, want %d", code, job.ExitConnect)
	}
	var document struct{ Status, Reason string }
	if err := json.Unmarshal(w.out.Bytes(), &document); err != nil || document.Status != "failed" || document.Reason != "no server" {
		t.Errorf("got document %+v and error %v of %q", document, err, &w.out)
	}
}

// The test searches all output and files of the commands for the secret.
func TestSecrets_ReachOnlyTheServer(t *testing.T) {
	const secret = "s3cr3t-hunter2"
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args    []string
		environ string
		prompt  bool
	}{
		"password file":       {args: []string{"--db", "pg", "--password-file", file}},
		"environment":         {args: []string{"--db", "pg"}, environ: "SLEDGE_PG_PASS=" + secret},
		"file in environment": {args: []string{"--db", "pg"}, environ: "SLEDGE_PG_PASS_FILE=" + file},
		"set":                 {args: []string{"--db", "pg", "--set", "pg_pass=" + secret}},
		"URL":                 {args: []string{"--url", "postgres://u:" + secret + "@h/d"}},
		"prompt":              {args: []string{"--db", "pg", "--ask-password"}, prompt: true},
	}
	for name, test := range tests {
		w := newWorld(t)
		w.Environ = append(w.Environ, test.environ)
		w.StdinIsTerminal = test.prompt
		if test.prompt {
			w.ReadPassword = func() (string, error) { return secret, nil }
		}
		w.does(func(_ context.Context, _ job.Spec, control job.Control) (job.Result, error) {
			tell(control, job.Event{User: 1, Message: "DBVersion:17"})
			return measured(), nil
		})
		var seen bytes.Buffer
		note := func(args ...string) {
			if code := w.run(args...); code != job.OK {
				t.Errorf("%s: sledge %s: got exit code %d: %s", name, args[0], code, &w.err)
			}
			seen.Write(w.out.Bytes())
			seen.Write(w.err.Bytes())
		}
		note(append([]string{"run", "--verbose"}, test.args...)...)
		note(append([]string{"run", "--json"}, test.args...)...)
		note("jobs", "show", "last", "--json")
		note("jobs", "show", "last")
		note("jobs", "export", "last")
		note("jobs", "list", "--json")
		files, err := filepath.Glob(filepath.Join(filepath.Dir(w.repository), "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got repository files %v and error %v", name, files, err)
		}
		for _, f := range files {
			content, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			seen.Write(content)
		}
		if bytes.Contains(seen.Bytes(), []byte(secret)) {
			t.Errorf("%s: got the secret in an output or in the repository", name)
		}
		if len(w.asked) != 2 || w.asked[0].Values()["password"] != secret {
			t.Errorf("%s: the runner did not get the secret: %d specs", name, len(w.asked))
		}
	}
}

func TestAskPassword_OnlyIfNothingElseIsWrong(t *testing.T) {
	w := newWorld(t) // its ReadPassword fails the test
	w.StdinIsTerminal = true
	if code := w.run("run", "--db", "pg", "--port", "0", "--ask-password"); code != job.ExitUsage {
		t.Errorf("got exit code %d, want %d", code, job.ExitUsage)
	}
	if code := w.run("run", "--db", "sqlite", "--no-repo"); code != job.OK {
		t.Errorf("got exit code %d, want 0", code)
	}
}

func TestDelete_AsksOnATerminal(t *testing.T) {
	tests := []struct {
		name     string
		terminal bool
		answer   string
		args     []string
		done     bool
	}{
		{"a yes", true, "y\n", nil, true},
		{"a no", true, "n\n", nil, false},
		{"just Enter", true, "\n", nil, false},
		{"end of input", true, "", nil, false},
		{"--yes", true, "", []string{"--yes"}, true},
		{"a script", false, "", nil, true},
	}
	file := filepath.Join(t.TempDir(), "some.db")
	emptySchema(t, file)
	for _, test := range tests {
		w := newWorld(t)
		w.StdinIsTerminal, w.Stdin = test.terminal, strings.NewReader(test.answer)
		code := w.run(append([]string{"delete", "--db", "sqlite", "--dbname", file}, test.args...)...)
		if (len(w.asked) == 1) != test.done || (code == job.OK) != test.done {
			t.Errorf("%s: got exit code %d and %d jobs done, want done: %v", test.name, code, len(w.asked), test.done)
		}
		shown := "This will be removed permanently:\n  tables\n    order_line  stock  customer  history\n    orders  new_order  item  district\n    warehouse\n  file " + file + "\n" +
			"Remove the TPROC-C schema in SQLite " + file + "?"
		if asked := strings.Contains(w.err.String(), shown); asked != (test.terminal && test.args == nil) {
			t.Errorf("%s: got %q, want a preview and a question: %v", test.name, &w.err, !asked)
		}
	}
	w := newWorld(t)
	w.StdinIsTerminal, w.Stdin = true, strings.NewReader("y\n")
	if code := w.run("delete", "--db", "sqlite", "--dbname", file+"2"); code != job.ExitMissing || strings.Contains(w.err.String(), "[y/N]") {
		t.Errorf("a missing schema: got exit code %d, want %d and no question: %s", code, job.ExitMissing, &w.err)
	}
}

// The Enter key ends the line of the question, so the next text must not be folded as its
// continuation.
func TestQuestion_TextAfterTheAnswerBeginsALine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "some.db")
	emptySchema(t, file)
	w := newWorld(t)
	w.StdinIsTerminal, w.Stdin = true, strings.NewReader("y\n")
	question := "Remove the TPROC-C schema in SQLite " + file + "? [y/N] "
	w.StderrWidth = func() int { return len(question) + 4 } // too narrow for a word after it
	if code := w.run("delete", "--db", "sqlite", "--dbname", file); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if want := question + "delete TPROC-C on SQLite "; !strings.Contains(w.err.String(), want) {
		t.Errorf("got %q, want %q in it", &w.err, want)
	}
}

// emptySchema creates the tables of TPROC-C in a file, without rows.
func emptySchema(t *testing.T, file string) {
	t.Helper()
	local := engine.Local{Catalog: edition.Catalog}
	plan, err := local.Plan(job.Spec{Action: job.Build, Database: "sqlite", Workload: "tprocc", Options: option.Values{"file": file}})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Database.Container.Create(t.Context(), plan.Connection, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	s, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	statements, err := plan.CreateStatements()
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoRepo_RecordsNothing(t *testing.T) {
	w := newWorld(t)
	if code := w.run("run", "--db", "sqlite", "--no-repo"); code != job.OK {
		t.Errorf("got exit code %d, want 0: %s", code, &w.err)
	}
	if _, err := os.Stat(w.repository); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got a repository, want none")
	}
}

func TestRepo_UnusableOneRefusesTheJob(t *testing.T) {
	w := newWorld(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.run("run", "--db", "sqlite", "--repo", filepath.Join(blocked, "jobs.db")); code == job.OK || len(w.asked) > 0 {
		t.Errorf("got exit code %d and %d jobs done, want an error and none", code, len(w.asked))
	}
	if !strings.Contains(w.err.String(), "--no-repo") {
		t.Errorf("got %q, want the remedy in it", &w.err)
	}
}

func TestPanic_EndsTheJobAndAsksForAReport(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) { panic("the fault") })
	if code := w.run("run", "--db", "sqlite"); code != job.ExitInternal {
		t.Errorf("got exit code %d, want %d", code, job.ExitInternal)
	}
	if last := lastLine(w.err.String()); !strings.Contains(last, "please report") || !strings.Contains(last, "the fault") {
		t.Errorf("got the last line %q, want a request to report the bug", last)
	}
	if jobs := w.jobs(t); len(jobs) != 1 || jobs[0].Status != job.Failed {
		t.Errorf("got jobs %v, want one failed job", jobs)
	}
}

func TestFailIf_AddsUpAndEndsWithItsOwnExitCode(t *testing.T) {
	w := newWorld(t)
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		return job.Result{Status: job.Missed, Reason: "the run missed its threshold", Extent: job.Extent{Started: time.Now()}}, nil
	})
	if code := w.run("run", "--db", "sqlite", "--fail-if", "p99>50ms", "--fail-if", "nopm<1000,stall>2s"); code != job.ExitMissed {
		t.Errorf("got exit code %d, want %d: %s", code, job.ExitMissed, &w.err)
	}
	if got := w.asked[0].Options["fail_if"]; got != "p99>50ms,nopm<1000,stall>2s" {
		t.Errorf("got %q", got)
	}
}

// A command leaves nothing in memory: results of runs take megabytes.
func TestRun_IsForgottenAtItsEnd(t *testing.T) {
	ran := func() weak.Pointer[program.Program] {
		w := newWorld(t)
		w.growing(nil)
		if code := w.run("run", "--db", "sqlite"); code != job.OK {
			t.Errorf("got exit code %d: %s", code, &w.err)
		}
		return weak.Make(w.Program)
	}()
	for range 3 {
		runtime.GC()
	}
	if ran.Value() != nil {
		t.Error("the command is still in memory")
	}
}
