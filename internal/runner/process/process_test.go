package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/engine/enginetest/analytics"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// TestMain runs this program as a worker if the arguments say so, as cmd/sledge does.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == Command:
		os.Exit(int(Main(local)))
	case len(os.Args) == 3 && os.Args[1] == Command:
		os.Exit(int(Main(odd(os.Args[2]))))
	}
	testserver.Main(m)
}

// local runs jobs in this process. Its catalog includes the test workload of groups.
var local = func() engine.Local {
	c := edition.Catalog
	c.Workloads = append(slices.Clone(c.Workloads), analytics.Workload)
	return engine.Local{Catalog: c, Version: "test"}
}()

func program(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// oddly returns a runner whose workers misbehave in the named way.
func oddly(t *testing.T, what string) Runner {
	t.Helper()
	return Runner{Program: program(t), Args: []string{Command, what}}
}

// odd is the runner of a worker that misbehaves in the named way.
type odd string

func (o odd) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	tell := func(e job.Event) { control.Watchers[0].Watch(e) }
	tell(job.Event{Message: strconv.Itoa(os.Getpid())})
	switch o {
	case "panics":
		go func() { panic("on purpose") }()
		select {}
	case "panics in the open":
		panic("on purpose")
	case "exits":
		fmt.Fprintln(os.Stderr, "no reason")
		os.Exit(3)
	case "hangs":
		<-ctx.Done()
		select {}
	case "waits":
		<-ctx.Done()
		return job.Result{Status: job.Partial}, job.WithExit(job.ExitStopped, ctx.Err())
	case "prints":
		fmt.Println("a driver's remark")
		fmt.Fprintln(os.Stdout, "and another")
	case "no number":
		tell(job.Event{Samples: []job.Sample{{Series: job.Series{Name: "x"}, Value: math.NaN()}}})
		return job.Result{Status: job.Succeeded, Metrics: []job.Metric{{Name: "NOPM", Value: math.NaN()}}}, nil
	case "refuses":
		err := &database.PasswordError{Option: "password", Called: spec.Names.Of("password"), User: "u", Err: errors.New("refused")}
		return job.Result{}, job.WithExit(job.ExitConnect, err)
	case "says much":
		for i := range 20_000 {
			tell(job.Event{User: i + 1, State: job.UserRunning})
		}
	case "knows the secret":
		if spec.Secrets.Reveal()["password"] != "s3cret" || strings.Contains(strings.Join(append(os.Args, os.Environ()...), " "), "s3cret") {
			return job.Result{}, errors.New("the secret is missing, or visible in arguments or environment")
		}
	}
	return job.Result{Status: job.Succeeded}, nil
}

// heard is a watcher that keeps the events of a job.
type heard struct {
	all  []job.Event
	each func(job.Event)
}

func (h *heard) Watch(e job.Event) {
	h.all = append(h.all, e)
	if h.each != nil {
		h.each(e)
	}
}

func (h *heard) pid(t *testing.T) int {
	t.Helper()
	pid, err := strconv.Atoi(h.all[0].Message)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// onFile calls a test for each runner, with a file that contains a schema.
func onFile(t *testing.T, test func(t *testing.T, runner job.Runner, file string)) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tpcc.db")
	if testserver.UnderRace { // a program without the detector builds in a tenth of the time
		build := exec.Command(testserver.Program(t), "build", "--db", "sqlite", "--set", "file="+file, "--no-repo")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build: %v\n%s", err, out)
		}
	} else if _, err := local.Do(t.Context(), specOf(job.Build, file, nil), job.Control{}); err != nil {
		t.Fatal(err)
	}
	for name, runner := range map[string]job.Runner{"this process": local, "a worker": Runner{Program: program(t)}} {
		t.Run(name, func(t *testing.T) { test(t, runner, file) })
	}
}

func specOf(action job.Action, file string, more option.Values) job.Spec {
	s := job.Spec{Action: action, Database: "sqlite", Workload: "tprocc", Seed: 1, Options: option.Values{"file": file}}
	for name, value := range more {
		s.Options[name] = value
	}
	if action == job.Run {
		s.Users = 2
	}
	return s
}

func TestEveryRunner(t *testing.T) {
	onFile(t, func(t *testing.T, runner job.Runner, file string) {
		t.Run("does jobs", func(t *testing.T) { doesJobs(t, runner, file) })
		t.Run("runs groups", func(t *testing.T) { runsGroups(t, runner, file) })
		t.Run("stops and aborts", func(t *testing.T) { stopsAndAborts(t, runner, file) })
		t.Run("emits events of 10,000 users", func(t *testing.T) { emitsEventsOfManyUsers(t, runner, file) })
	})
}

func doesJobs(t *testing.T, runner job.Runner, file string) {
	run := specOf(job.Run, file, option.Values{"rampup": "0", "duration": "1s", "time_profile": "true"})
	var seen heard
	r, err := runner.Do(t.Context(), run, job.Control{Watchers: []job.Watcher{&seen}})
	if err != nil || r.Status != job.Succeeded {
		t.Fatalf("got %s, %v", r.Status, err)
	}
	all := r.Summary.All()
	if all.Done == 0 || all.Response.ValueAtQuantile(99) == 0 || len(r.PerUser) != 2 || len(r.Metrics) == 0 {
		t.Errorf("got %d done, %d users and the figures %v", all.Done, len(r.PerUser), r.Metrics)
	}
	var facts, seconds, headline int
	var ended int64
	for _, e := range seen.all {
		switch {
		case e.Facts != nil:
			facts++
		case e.Second != nil && e.Second.Phase == job.Measure:
			seconds++
			ended += e.Second.Measured.Ended()
		case e.Headline != nil:
			headline++
		}
	}
	// The facts come twice: with the target before the server responds, and with the server's facts
	// after that.
	if facts != 2 || seconds == 0 || headline != 1 || ended < all.Done {
		t.Errorf("got %d facts, %d seconds with %d transactions and %d headlines", facts, seconds, ended, headline)
	}
	missing := specOf(job.Check, filepath.Join(t.TempDir(), "none.db"), nil)
	if r, err := runner.Do(t.Context(), missing, job.Control{}); job.ExitOf(err) != job.ExitMissing || r.Status != job.Failed || r.Reason != err.Error() {
		t.Errorf("a missing file: got %s, %q, exit code %d: %v", r.Status, r.Reason, job.ExitOf(err), err)
	}
	wrong := specOf(job.Run, file, option.Values{"duration": "never"})
	wrong.Names = option.Names{"duration": "--duration"}
	if _, err := runner.Do(t.Context(), wrong, job.Control{}); job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "--duration") {
		t.Errorf("a wrong value: got exit code %d: %v", job.ExitOf(err), err)
	}
}

func runsGroups(t *testing.T, runner job.Runner, file string) {
	testserver.SkipSQLiteUnderRace(t)                                            // the engine's own test of groups runs under it
	run := specOf(job.Run, file, option.Values{"rampup": "0", "duration": "4s"}) // long enough for a query on a slow machine
	run.Group, run.Beside = "orders", []job.Group{{Name: "queries", Workload: "analytics", Users: 1}}
	var seen heard
	r, err := runner.Do(t.Context(), run, job.Control{Watchers: []job.Watcher{&seen}})
	if err != nil || len(r.Groups) != 2 {
		t.Fatalf("got %d groups, %s, %v, want 2 groups", len(r.Groups), r.Status, err)
	}
	for i, want := range []string{"orders", "queries"} {
		if g := r.Groups[i]; g.Name != want || g.Users != 2-i || i == 0 && g.Agreement == nil {
			t.Errorf("got the group %+v, want %q with %d users and compared counts", g, want, 2-i)
		}
	}
	all, inSeconds := r.Summary.All(), int64(0)
	for _, e := range seen.all {
		if e.Second != nil && e.Second.Phase == job.Measure {
			inSeconds += e.Second.Measured.Ended()
		}
	}
	if all.Done == 0 || inSeconds < all.Done {
		t.Errorf("got %d transactions, of which the seconds have %d", all.Done, inSeconds)
	}
}

func stopsAndAborts(t *testing.T, runner job.Runner, file string) {
	run := specOf(job.Run, file, option.Values{"rampup": "0", "duration": "5m"})
	measuring := func(do func()) *heard {
		return &heard{each: func(e job.Event) {
			if e.Second != nil {
				do()
				do = func() {}
			}
		}}
	}
	stop := make(chan struct{})
	r, err := runner.Do(t.Context(), run, job.Control{Stop: stop, Watchers: []job.Watcher{measuring(func() { close(stop) })}})
	if r.Status != job.Partial || r.Summary.All().Done == 0 {
		t.Errorf("stopped: got %s, %v, want a partial result", r.Status, err)
	}
	ctx, abort := context.WithCancel(t.Context())
	defer abort()
	if r, err = runner.Do(ctx, run, job.Control{Watchers: []job.Watcher{measuring(abort)}}); job.ExitOf(err) != job.ExitStopped {
		t.Errorf("aborted: got %s, %v", r.Status, err)
	}
}

func emitsEventsOfManyUsers(t *testing.T, runner job.Runner, file string) {
	run := specOf(job.Run, file, option.Values{"rampup": "0", "duration": "1s", "rate": "100", "connections": "4"})
	run.Users = 10_000
	var seen heard
	r, err := runner.Do(t.Context(), run, job.Control{Watchers: []job.Watcher{&seen}})
	if err != nil && r.Status != job.Invalid { // a slow machine may do no transaction in time
		t.Errorf("got %s, %v", r.Status, err)
	}
	began, ended := map[int]bool{}, map[int]bool{}
	for _, e := range seen.all {
		switch e.State {
		case job.UserRunning:
			began[e.User] = true
		case job.UserSucceeded, job.UserFailed: // on a slow machine the run, and so its monitor, may fail
			ended[e.User] = true
		}
	}
	if len(began) != 10_001 || len(ended) != 10_001 { // one of them is the monitor
		t.Errorf("%d users began, and %d ended", len(began), len(ended))
	}
}

// A slow watcher delays the job, and no event is lost.
func TestEveryRunner_EmitsAllEventsInOrder(t *testing.T) {
	for name, runner := range map[string]job.Runner{"this process": odd("says much"), "a worker": oddly(t, "says much")} {
		t.Run(name, func(t *testing.T) {
			seen := heard{each: func(e job.Event) {
				if e.User%1000 == 1 {
					time.Sleep(10 * time.Millisecond)
				}
			}}
			if _, err := runner.Do(t.Context(), job.Spec{}, job.Control{Watchers: []job.Watcher{&seen}}); err != nil {
				t.Fatal(err)
			}
			if len(seen.all) != 20_001 {
				t.Fatalf("got %d events", len(seen.all))
			}
			for i, e := range seen.all[1:] {
				if e.User != i+1 || e.State != job.UserRunning {
					t.Fatalf("event %d is %+v", i+1, e)
				}
			}
		})
	}
}

func TestRunner_ReportsTheEndOfAWorker(t *testing.T) {
	for _, c := range []struct {
		what   string
		status job.Status
		exit   job.Exit
		says   string
	}{
		{"panics", job.Killed, job.ExitInternal, "a bug in Sledge ended the job: on purpose"},
		{"panics in the open", "", job.ExitInternal, "a bug in Sledge ended the job: on purpose"},
		{"exits", job.Killed, job.ExitAborted, "its process ended before the job did: exit status 3: no reason"},
		{"no number", job.Failed, job.ExitInternal, "the result cannot be encoded: json: unsupported value: NaN"},
		{"refuses", "", job.ExitConnect, "refused"},
		{"prints", job.Succeeded, job.OK, ""},
		{"knows the secret", job.Succeeded, job.OK, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			spec := job.Spec{Secrets: option.NewSecrets(option.Values{"password": "s3cret"}), Names: option.Names{"password": "--password"}}
			r, err := oddly(t, c.what).Do(t.Context(), spec, job.Control{Watchers: []job.Watcher{&heard{}}})
			if r.Status != c.status || job.ExitOf(err) != c.exit || err != nil && err.Error() != c.says {
				t.Errorf("got %s, exit code %d: %v", r.Status, job.ExitOf(err), err)
			}
			if fault, is := errors.AsType[*job.Fault](err); c.exit == job.ExitInternal && c.what != "no number" && (!is || !strings.Contains(string(fault.Stack), "process_test.go")) {
				t.Errorf("got %v, want a stack trace of this file", fault)
			}
			if refused, is := errors.AsType[*database.PasswordError](err); c.what == "refuses" && (!is || refused.Called != "--password" || refused.Option != "password" || refused.User != "u") {
				t.Errorf("got %v", refused)
			}
		})
	}
}

func TestRunner_KillsASilentWorker(t *testing.T) {
	t.Run("to an abort", func(t *testing.T) {
		runner := oddly(t, "hangs")
		runner.breaking = 100 * time.Millisecond
		ctx, abort := context.WithCancel(t.Context())
		seen := heard{each: func(job.Event) { abort() }}
		r, err := runner.Do(ctx, job.Spec{}, job.Control{Watchers: []job.Watcher{&seen}})
		if r.Status != job.Killed || !strings.Contains(r.Reason, "had not aborted it") {
			t.Errorf("got %s, %v", r.Status, err)
		}
		gone(t, seen.pid(t))
	})
	t.Run("while it is frozen", func(t *testing.T) {
		runner := oddly(t, "waits")
		runner.silence = 2
		seen := heard{}
		seen.each = func(job.Event) { _ = syscall.Kill(seen.pid(t), syscall.SIGSTOP) }
		r, err := runner.Do(t.Context(), job.Spec{}, job.Control{Watchers: []job.Watcher{&seen}})
		if r.Status != job.Killed || r.Reason != "its process did not answer for 2 s, and was killed" || job.ExitOf(err) != job.ExitAborted {
			t.Errorf("got %s, %v", r.Status, err)
		}
		gone(t, seen.pid(t))
	})
	t.Run("but not a worker without events", func(t *testing.T) {
		runner := oddly(t, "waits")
		runner.silence = 4
		ctx, abort := context.WithCancel(t.Context())
		seen := heard{each: func(job.Event) { time.AfterFunc(5*time.Second, abort) }}
		if r, err := runner.Do(ctx, job.Spec{}, job.Control{Watchers: []job.Watcher{&seen}}); r.Status != job.Partial {
			t.Errorf("got %s, %v", r.Status, err)
		}
	})
}

func TestRunner_ReportsAKilledWorker(t *testing.T) {
	seen := heard{}
	seen.each = func(job.Event) { _ = syscall.Kill(seen.pid(t), syscall.SIGKILL) }
	r, err := oddly(t, "waits").Do(t.Context(), job.Spec{}, job.Control{Watchers: []job.Watcher{&seen}})
	if r.Status != job.Killed || r.Reason != "its process ended before the job did: signal: killed" || job.ExitOf(err) != job.ExitAborted {
		t.Errorf("got %s, %v", r.Status, err)
	}
}

// gone fails if the process exists.
func gone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d still exists: %v", pid, err)
	}
}

// When the program that started a worker ends, its end of the pipe is closed.
func TestWorker_EndsWithItsParent(t *testing.T) {
	in, tell := io.Pipe()
	listen, out := io.Pipe()
	served := make(chan error)
	go func() { served <- serve(t.Context(), odd("waits"), in, out, func(int) {}) }()
	if err := json.NewEncoder(tell).Encode(message{Order: &order{}}); err != nil {
		t.Fatal(err)
	}
	messages := json.NewDecoder(listen)
	var m message
	if err := messages.Decode(&m); err != nil || m.Event == nil {
		t.Fatal(err)
	}
	if err := tell.Close(); err != nil {
		t.Fatal(err)
	}
	for m.End == nil {
		if err := messages.Decode(&m); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-served; err != nil || m.End.Failure == nil || m.End.Failure.Exit != job.ExitStopped {
		t.Errorf("got %+v, %v", m.End, err)
	}
}

func TestWorker_RefusesToStartWithoutAnOrder(t *testing.T) {
	err := serve(t.Context(), local, strings.NewReader("help\n"), io.Discard, nil)
	if job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "use sledge run") {
		t.Errorf("got %v", err)
	}
}

// Each member of events and results survives encoding, including members that are added later.
func TestMessages_AreCompleteInJSON(t *testing.T) {
	var e job.Event
	fill(t, reflect.ValueOf(&e).Elem(), "Event")
	stripe := meter.NewSummary(1)
	stripe.Kinds[0].RolledBack = 3
	e.Headline.Summary = stripe
	text, err := json.Marshal(message{Event: &e})
	if err != nil {
		t.Fatal(err)
	}
	var got message
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if s := got.Event.Headline.Summary; len(s.Kinds) != 1 || s.Kinds[0].RolledBack != 3 {
		t.Errorf("got the summary %+v", s)
	}
	e.Headline.Summary, got.Event.Headline.Summary = meter.Summary{}, meter.Summary{}
	for i := range e.Headline.Client.Machine.Processes { // not encoded
		e.Headline.Client.Machine.Processes[i].Ended = 0
	}
	if !reflect.DeepEqual(*got.Event, e) {
		t.Errorf("got  %+v\nwant %+v", *got.Event, e)
	}
}

// fill sets each part of a value to something other than zero.
func fill(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Date(2026, 7, 8, 9, 10, 11, 12, time.UTC)
		return
	case *meter.Summary:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), path)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(t, v.Field(i), path+"."+f.Name)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), path)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, path)
		fill(t, value, path)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	default:
		t.Errorf("%s is a %s, which is not plain data", path, v.Kind())
	}
}
