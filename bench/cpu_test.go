//go:build bench

package bench

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// cores is how many cores the machine has, which client and server share.
var cores = runtime.NumCPU()

// userCounts are the numbers of virtual users that CPU time is measured with.
// Targets are set for eight: with two a client sleeps between any two answers,
// with 32 it finds many at each awakening, and people run something in between.
var userCounts = []int{2, 8, 32}

const targetUsers = 8

// cpuWarehouses is enough that eight users mostly do not wait for each other.
func cpuWarehouses() int {
	if testing.Short() {
		return 2
	}
	return 8
}

// program runs one of the programs that are compared for about so long.
type program func(users int, length time.Duration) ended

// perCall returns the CPU time in microseconds that a program takes for a call,
// by the server's count of calls. A short run is taken off a long one.
func perCall(users int, run program, count func() int64) float64 {
	cpu, calls := usedBy(users, startUp, run, count)
	moreCPU, moreCalls := usedBy(users, startUp+trial(), run, count)
	return float64((moreCPU - cpu).Nanoseconds()) / 1e3 / float64(moreCalls-calls)
}

func usedBy(users int, length time.Duration, run program, count func() int64) (cpu time.Duration, calls int64) {
	before := count()
	cpu = run(users, length).cpu
	return cpu, count() - before
}

// TestRoutinesPostgreSQL measures the client's CPU time for a transaction that is
// one call of a stored routine, and compares it with pgbench's for the same calls
// in the same mix.
func TestRoutinesPostgreSQL(t *testing.T) {
	p := loadedPostgreSQL(t)
	defer p.drop(t)
	scripts := p.writeScripts(t, "routines")
	compareCPU(t, comparison{
		what: p.title() + ": client CPU per routine call",
		ours: runSledge(t, p),
		theirs: func(users int, length time.Duration) ended {
			return p.pgbench(t, scripts, users, cpuWarehouses(), length)
		},
		count:    func() int64 { return p.calls(t) },
		absolute: atMost(20),
		relative: atMost(2),
	})
}

// TestStatementsPostgreSQL compares CPU time per statement when the client sends
// all statements itself.
func TestStatementsPostgreSQL(t *testing.T) {
	p := loadedPostgreSQL(t)
	defer p.drop(t)
	scripts := p.writeScripts(t, "statements")
	compareCPU(t, comparison{
		what: p.title() + ": client CPU per statement, client SQL",
		ours: runSledge(t, p, "--client-sql"),
		theirs: func(users int, length time.Duration) ended {
			return p.pgbench(t, scripts, users, cpuWarehouses(), length)
		},
		count:    func() int64 { return p.statements(t) },
		relative: atMost(1.5),
	})
}

// TestRoutinesMariaDB measures the same on MariaDB, where there is no pgbench.
func TestRoutinesMariaDB(t *testing.T) {
	m := openMariaDB(t, "tpcc")
	m.drop(t)
	defer m.drop(t)
	build(t, m, cpuWarehouses(), builders)
	compareCPU(t, comparison{
		what:     m.title() + ": client CPU per routine call",
		ours:     runSledge(t, m),
		count:    func() int64 { return m.calls(t) },
		absolute: atMost(20),
	})
}

// loadedPostgreSQL returns a database with a fresh schema. It is built anew for
// each test, since pgbench's scripts leave orders behind that break the rules.
func loadedPostgreSQL(t *testing.T) postgreSQL {
	t.Helper()
	p := openPostgreSQL(t, "tpcc")
	p.drop(t)
	build(t, p, cpuWarehouses(), builders)
	p.startCounting(t)
	return p
}

// runSledge is sledge run, without a ramp-up.
func runSledge(t *testing.T, s loadable, more ...string) program {
	return func(users int, length time.Duration) ended {
		return execute(t, nil, sledgeProgram, append(runArguments(s, users, 0, length), more...)...)
	}
}

// runArguments are those of sledge run.
func runArguments(s loadable, users int, rampUp, length time.Duration) []string {
	return sledge("run", s.name(), s.values(), "--users", strconv.Itoa(users),
		"--rampup", rampUp.String(), "--duration", length.String(), "--json")
}

// comparison is of the CPU time of two programs that do the same.
type comparison struct {
	what         string
	ours, theirs program // theirs may be nil
	count        func() int64

	// absolute is the target in microseconds, relative that of the ratio.
	absolute, relative *target
}

func compareCPU(t *testing.T, c comparison) {
	for _, users := range userCounts {
		var ours, theirs []float64
		for range rounds() {
			ours = append(ours, perCall(users, c.ours, c.count))
			if c.theirs != nil {
				theirs = append(theirs, perCall(users, c.theirs, c.count))
			}
		}
		absolute, relative := c.absolute, c.relative
		if users != targetUsers {
			absolute, relative = nil, nil
		}
		what := fmt.Sprintf("%s, %d users", c.what, users)
		note(t, figure{What: what, Value: median(ours), Unit: "µs", Target: absolute, Detail: spread(ours)})
		if c.theirs == nil {
			continue
		}
		ratio := ratios(ours, theirs)
		note(t, figure{
			What: what + ", against pgbench", Value: median(ratio), Unit: "x", Target: relative,
			Detail: fmt.Sprintf("%.1f µs against %.1f µs; %s", median(ours), median(theirs), spread(ratio)),
		})
	}
}
