//go:build bench && linux

package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// asked is the task of a client of the synthetic server.
type asked struct {
	Address          string
	Users            int
	Thinking         time.Duration
	Tail             int
	RampUp, Duration time.Duration
	Repository       string // "" records nothing
	Deflate          bool   // additionally encode each second in HdrHistogram's compressed format
}

// found is the client's result.
type found struct {
	P50, P99, P999, Max float64   // in ms
	Seconds             []float64 // p99.9 of each second, in ms
	Done                int64
	PerSecond           float64
	Client              job.ClientLoad
	PeakMB              float64
}

// runSynthetic runs the client, in its own process.
func runSynthetic(out io.Writer) error {
	var a asked
	if err := json.Unmarshal([]byte(os.Getenv("SLEDGE_BENCH_ASKED")), &a); err != nil {
		return err
	}
	d, w := syntheticPair(a.Address, a.Thinking, a.Tail)
	spec := job.Spec{
		Action: job.Run, Database: d.Name, Workload: w.Name, Users: a.Users, Seed: 1,
		Options: option.Values{"rampup": a.RampUp.String(), "duration": a.Duration.String()},
	}
	plan, err := plan.New(catalog.Pair{Database: d, Workload: w}, spec)
	if err != nil {
		return err
	}
	ctx := context.Background()
	control := job.Control{}
	var recorder *repository.Recorder
	if a.Repository != "" {
		store, err := repository.Open(a.Repository)
		if err != nil {
			return err
		}
		defer store.Close()
		if recorder, err = store.Begin(ctx, spec, w.KindNames(), 0); err != nil {
			return err
		}
		control.Watchers = []job.Watcher{recorder}
	}
	if a.Deflate {
		control.Watchers = append(control.Watchers, deflater{})
	}
	seconds := &keeper{measured: make([]meter.CodedSummary, 0, 2*int(a.Duration.Seconds()))}
	control.Watchers = append(control.Watchers, seconds)
	result, err := engine.Local{}.DoPlan(ctx, plan, control)
	if err == nil && recorder != nil {
		err = recorder.End(ctx, result, nil)
	}
	if err != nil {
		return err
	}
	peak, _ := peakMemory(os.Getpid())
	all := result.Summary.All()
	ms := func(percentile float64) float64 { return float64(all.Response.ValueAtQuantile(percentile)) / 1e6 }
	f := found{
		P50: ms(50), P99: ms(99), P999: ms(99.9), Max: ms(100), Done: all.Done, PerSecond: float64(all.Done) / result.Elapsed,
		Client: *result.Client, PeakMB: float64(peak) / 1e6,
	}
	for _, measured := range seconds.measured {
		summary, err := measured.Summary()
		if err != nil {
			return err
		}
		second := summary.All()
		f.Seconds = append(f.Seconds, float64(second.Response.ValueAtQuantile(99.9))/1e6)
	}
	return json.NewEncoder(out).Encode(f)
}

// keeper keeps the summaries of all measured seconds, and does not decode them during the run.
type keeper struct{ measured []meter.CodedSummary }

func (k *keeper) Watch(e job.Event) {
	if e.Second != nil && e.Second.Phase == job.Measure {
		k.measured = append(k.measured, e.Second.Measured)
	}
}

// deflater encodes each measured second in the format of an older repository, in its own goroutine.
type deflater struct{}

func (deflater) Watch(e job.Event) {
	if e.Second == nil {
		return
	}
	go func() {
		sum, _ := e.Second.Measured.Summary() // it comes from an interval, so it is valid
		for _, k := range sum.Kinds {
			if k.Done > 0 {
				_, _ = meter.EncodeV2(k.Service)
				_, _ = meter.EncodeV2(k.Response)
			}
		}
	}()
}

// self returns a command that runs this program as one of its own children, on its own core if the
// machine has two.
func self(t *testing.T, role string, core int, env ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "SLEDGE_BENCH_ROLE="+role, "GOMAXPROCS=1")
	if _, err := exec.LookPath("taskset"); err != nil {
		return command(t, env, program)
	}
	return command(t, env, "taskset", "-c", strconv.Itoa(core), program)
}

// startResponder starts the synthetic server and returns its address.
func startResponder(t *testing.T) string {
	t.Helper()
	return startServer(t, "responder")
}

// startServer starts one of our servers, which prints its port when it listens, and returns its
// address.
func startServer(t *testing.T, role string, env ...string) string {
	t.Helper()
	cmd := self(t, role, 1, env...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	port, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strings.TrimSpace(port)
}

// drive runs a client on its own core and returns its result.
func drive(t *testing.T, a asked) found {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	cmd := self(t, "client", 0, "SLEDGE_BENCH_ASKED="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var f found
	if err := json.Unmarshal(out, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// keepAwake prevents both cores from sleeping until the test ends, with a process of idle priority
// on each. The host of a virtual machine may wake a sleeping core late: without these processes,
// more than one percent of the answers came some milliseconds late, regardless of the client.
func keepAwake(t *testing.T) {
	for core := range 2 {
		cmd := self(t, "idler", core)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}

// TestRecorder measures how much recording a run increases the recorded latencies. Client and
// server have their own cores, and the server's answers take a known time, so the percentiles show
// the client's overhead. Runs with and without a repository alternate. To show that the test can
// detect an overhead, there are also runs that additionally compress each second, like an older
// repository.
//
// The test compares the median of the p99.9 of all seconds, because the recorder works in every
// second. The p99.9 of a complete run would depend only on the seconds in which the host of a
// virtual machine takes a core away.
func TestRecorder(t *testing.T) {
	keepAwake(t)
	address := startResponder(t)
	for _, c := range []struct {
		what string
		tail int
	}{
		{"answers after 1 ms", 0},
		{"answers after 1 ms, one in 200 after 10 ms", 200},
	} {
		variants := []struct {
			what              string
			recorded, deflate bool
			limit             *target
			seconds, whole    []float64 // p99.9 of each second and of each run, in ms
		}{
			{what: "nothing recorded"},
			{what: "everything recorded", recorded: true, limit: atMost(1.05)},
			{what: "each second compressed as well", recorded: true, deflate: true},
		}
		var rates []float64
		for round := range 2 * rounds() {
			for i := range variants {
				v := &variants[(i+round)%len(variants)]
				a := asked{Address: address, Users: 8, Tail: c.tail, RampUp: time.Second, Duration: trial(), Deflate: v.deflate}
				if v.recorded {
					a.Repository = filepath.Join(t.TempDir(), "jobs.db")
				}
				f := drive(t, a)
				t.Logf("round %d, %s: %+v", round+1, v.what, f)
				v.seconds, v.whole, rates = append(v.seconds, f.Seconds...), append(v.whole, f.P999), append(rates, f.PerSecond)
			}
		}
		off := variants[0]
		for _, v := range variants[1:] {
			note(t, figure{
				What:  fmt.Sprintf("p99.9 of a second with %s against %s, one core, %s", v.what, off.what, c.what),
				Value: median(v.seconds) / median(off.seconds), Unit: "x", Target: v.limit,
				Detail: fmt.Sprintf("%.3f against %.3f ms, the medians of %d and %d seconds at %.0f transactions/s; of whole runs %.3f against %.3f ms",
					median(v.seconds), median(off.seconds), len(v.seconds), len(off.seconds), median(rates), median(v.whole), median(off.whole)),
			})
		}
	}
}

// TestManyUsers records 10,000 virtual users for a minute. Each thinks for two seconds between
// transactions.
func TestManyUsers(t *testing.T) {
	length := time.Minute
	users := 10_000
	if testing.Short() {
		length, users = 5*time.Second, 2000
	}
	keepAwake(t)
	address := startResponder(t)
	a := asked{Address: address, Users: users, Thinking: 2 * time.Second, RampUp: 5 * time.Second, Duration: length}
	without := drive(t, a)
	a.Repository = filepath.Join(t.TempDir(), "jobs.db")
	with := drive(t, a)
	store, err := repository.Open(a.Repository)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	j, err := store.Get(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	var began, ended []int
	events, seconds := 0, 0
	for e, err := range store.Events(t.Context(), "last") {
		if err != nil {
			t.Fatal(err)
		}
		events++
		switch e.State {
		case job.UserRunning:
			began = append(began, e.User)
		case job.UserSucceeded:
			ended = append(ended, e.User)
		}
	}
	var done int64
	for e, err := range store.Seconds(t.Context(), "last") {
		if err != nil {
			t.Fatal(err)
		}
		seconds++
		for _, k := range e.Second.Measured.Kinds {
			if e.Second.Phase == job.Measure {
				done += k.Done
			}
		}
	}
	slices.Sort(began)
	slices.Sort(ended)
	whole := j.Status == job.Succeeded && j.Dropped == 0 && done == with.Done &&
		len(slices.Compact(began)) == users+1 && len(slices.Compact(ended)) == users+1
	if !whole {
		t.Errorf("got status %s (%s), %d dropped, %d of %d transactions in seconds, %d users that began and %d that ended",
			j.Status, j.Reason, j.Dropped, done, with.Done, len(began), len(ended))
	}
	info, err := os.Stat(a.Repository)
	if err != nil {
		t.Fatal(err)
	}
	note(t, figure{
		What:  fmt.Sprintf("resident memory of %d users, recorded for %v, against not recorded", users, length),
		Value: with.PeakMB - without.PeakMB, Unit: "MB more", Target: atMost(80),
		Detail: fmt.Sprintf("%.0f against %.0f MB; whole: %t, %d events and %d seconds in %.1f MB; %.0f transactions/s, p99.9 %.2f against %.2f ms; cores used %.2f",
			with.PeakMB, without.PeakMB, whole, events, seconds, float64(info.Size())/1e6, with.PerSecond, with.P999, without.P999, with.Client.CoresUsed),
	})
}
