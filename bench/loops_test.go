//go:build bench && linux

package bench

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"sledge/internal/job"
	reports "sledge/internal/report"
)

// TestLoopsPostgreSQL and TestLoopsMariaDB compare virtual users on event loops with virtual users
// as goroutines, with the server on the same cores. Runs alternate as in TestMeasuringCost. No
// process keeps the cores awake, because the advantage of event loops is that they do not wake
// threads.
func TestLoopsPostgreSQL(t *testing.T) {
	compareLoops(t, openPostgreSQL(t, "bench_loops"), "stored routines", nil, atLeast(1.05))
}

func TestLoopsMariaDB(t *testing.T) {
	compareLoops(t, openMariaDB(t, "bench_loops"), "stored routines", nil, atLeast(1.2))
}

// TestLoopsPreparedMariaDB is TestLoopsMariaDB with prepared calls, which cost the server less.
func TestLoopsPreparedMariaDB(t *testing.T) {
	compareLoops(t, openMariaDB(t, "bench_loops"), "prepared stored routines", []string{"--set", "prepared=true"}, atLeast(1.2))
}

// TestLoopsStatementsMariaDB is TestLoopsMariaDB with about 27 statements per transaction, whose
// answers the client awaits one by one.
func TestLoopsStatementsMariaDB(t *testing.T) {
	compareLoops(t, openMariaDB(t, "bench_loops"), "client SQL", []string{"--client-sql"}, atLeast(1.2))
}

func compareLoops(t *testing.T, s loadable, what string, flags []string, least *target) {
	s.drop(t)
	defer s.drop(t)
	build(t, s, cpuWarehouses(), builders)
	pairs, length := 3*rounds(), trial()
	for _, users := range []int{2, 8} {
		var nopm, p99, cpu [2][]float64 // goroutines, loops
		var free []float64
		for i := range pairs {
			for _, loops := range inTurns(i) {
				arguments := append(runArguments(s, users, time.Second, length), "--set", fmt.Sprintf("loops=%d", loops))
				m := outcomeOf(t, append(arguments, flags...), length)
				nopm[loops], p99[loops], cpu[loops] = append(nopm[loops], m.nopm), append(p99[loops], m.p99), append(cpu[loops], m.cpu)
				if loops == 0 {
					free = append(free, m.withoutClient(users))
				}
			}
			t.Logf("pair %d: NOPM %.0f on a loop, %.0f in goroutines; p99 %.2f and %.2f ms; client CPU %.1f and %.1f µs a transaction",
				i+1, nopm[1][i], nopm[0][i], p99[1][i], p99[0][i], cpu[1][i], cpu[0][i])
		}
		about := fmt.Sprintf("users on an event loop against goroutines, %s, %d users", what, users)
		for _, f := range []turns{
			{"NOPM", nopm, "NOPM", least},
			{"p99 of the response time", p99, "ms", atMost(1)},
			{"client CPU for a transaction", cpu, "µs", nil},
		} {
			f.note(t, s, about, length)
		}
		note(t, figure{
			What:  fmt.Sprintf("%s: NOPM of a client that took no CPU time, against goroutines, %s, %d users", s.title(), what, users),
			Value: median(free), Unit: "x",
			Detail: fmt.Sprintf("by arithmetic, if the server did the rest as fast; %s", spread(free)),
		})
	}
}

// outcome is the result of a run: p99 in milliseconds, CPU in microseconds per transaction, and the
// rate in transactions per second.
type outcome struct{ nopm, p99, cpu, rate float64 }

// withoutClient returns the factor by which the rate would grow if the client used no CPU time,
// assuming that each user and each core does one thing at a time.
func (o outcome) withoutClient(users int) float64 {
	atOnce := float64(min(users, runtime.NumCPU()))
	return 1 / (1 - o.cpu*o.rate/1e6/atOnce)
}

func outcomeOf(t *testing.T, arguments []string, length time.Duration) outcome {
	t.Helper()
	var d reports.Document
	if err := json.Unmarshal(execute(t, nil, sledgeProgram, arguments...).output, &d); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(d.Metrics, func(m job.Metric) bool { return m.Name == "NOPM" })
	if i < 0 || d.All == nil || d.All.Response == nil || d.Client == nil {
		t.Fatalf("got %+v, want NOPM, transactions and the client's CPU", d)
	}
	done := float64(d.All.Done + d.All.RolledBack)
	return outcome{d.Metrics[i].Value, float64(d.All.Response.P99), 1e6 * d.Client.CPUSeconds / done, done / length.Seconds()}
}
