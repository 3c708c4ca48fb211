//go:build bench

package bench

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// cpuCases are the configurations for which CPU time is measured. Targets apply to eight users over
// TCP, which is typical: with two users the client sleeps before each answer, and with 32 it finds
// many answers each time it wakes.
var cpuCases = []struct {
	users    int
	socket   bool // a Unix socket instead of TCP to 127.0.0.1
	targeted bool
}{
	{users: 2},
	{users: 8, targeted: true},
	{users: 8, socket: true},
	{users: 32},
}

// cpuWarehouses returns a number of warehouses with which eight users rarely wait for each other.
func cpuWarehouses() int {
	if testing.Short() {
		return 2
	}
	return 8
}

// program runs one of the compared programs for about the given time.
type program func(users int, length time.Duration) ended

// reachable is a server that can be reached over TCP and over a Unix socket; overSocket returns nil
// if sledge has no option for a socket.
type reachable interface {
	buildable
	overSocket() reachable
}

// cost holds the time of a program's calls for each round.
type cost struct {
	micros []float64 // CPU time for a call
	server []float64 // CPU time of the server's process for a call, if known
	rate   []float64 // calls a second
}

// add measures a round, using the server's count of calls. It subtracts a short run from a long
// one, so that starting and connecting do not count.
func (c *cost) add(users int, run program, count func() int64, server int) {
	short := usedBy(users, startUp, run, count, server)
	long := usedBy(users, startUp+trial(), run, count, server)
	calls := float64(long.calls - short.calls)
	c.micros = append(c.micros, float64((long.client-short.client).Nanoseconds())/1e3/calls)
	c.rate = append(c.rate, calls/trial().Seconds())
	if long.server > 0 {
		c.server = append(c.server, float64((long.server-short.server).Nanoseconds())/1e3/calls)
	}
}

func (c cost) String() string {
	return fmt.Sprintf("%.1f µs at %.0f calls/s%s", median(c.micros), median(c.rate), c.servers())
}

// servers describes the server's CPU time, if it is known.
func (c cost) servers() string {
	if len(c.server) == 0 {
		return ""
	}
	return fmt.Sprintf(" and %.0f µs of the server", median(c.server))
}

// used holds the CPU time of a run, and the number of calls by the server's count.
type used struct {
	client, server time.Duration
	calls          int64
}

func usedBy(users int, length time.Duration, run program, count func() int64, server int) used {
	calls, cpu := count(), cpuTime(server)
	client := run(users, length).cpu
	return used{client, cpuTime(server) - cpu, count() - calls}
}

// TestRoutinesPostgreSQL measures the client's CPU time for a transaction that is one call of a
// stored routine, and compares it with that of pgbench for the same calls in the same mix.
func TestRoutinesPostgreSQL(t *testing.T) {
	p := loadedPostgreSQL(t)
	defer p.drop(t)
	compareCPU(t, comparison{
		what:     "routine call",
		server:   p,
		peer:     "pgbench",
		runPeer:  p.runPgbench(t, p.writeScripts(t, "routines")),
		count:    func() int64 { return p.calls(t) },
		absolute: atMost(20),
		relative: atMost(1.15),
		rate:     atLeast(0.98),
	})
}

// TestStatementsPostgreSQL compares CPU time per statement when the client sends
// all statements itself.
func TestStatementsPostgreSQL(t *testing.T) {
	p := loadedPostgreSQL(t)
	defer p.drop(t)
	compareCPU(t, comparison{
		what:     "statement of client SQL",
		server:   p,
		flags:    []string{"--client-sql"},
		peer:     "pgbench",
		runPeer:  p.runPgbench(t, p.writeScripts(t, "statements")),
		count:    func() int64 { return p.statements(t) },
		relative: atMost(1.5),
	})
}

// TestRoutinesMariaDB measures routine calls on MariaDB, compared with sysbench.
func TestRoutinesMariaDB(t *testing.T) { compareRoutines(t, openMariaDB(t, "tpcc")) }

// TestRoutinesMySQL measures routine calls on MySQL.
func TestRoutinesMySQL(t *testing.T) { compareRoutines(t, openMySQL(t, "mysql", "tpcc")) }

func compareRoutines(t *testing.T, m mySQL) {
	t.Helper()
	m.drop(t)
	defer m.drop(t)
	build(t, m, cpuWarehouses(), builders)
	c := comparison{
		what:     "routine call",
		server:   m,
		peer:     "sysbench",
		runPeer:  m.runSysbench(t),
		count:    func() int64 { return m.calls(t) },
		process:  m.Pid(),
		absolute: atMost(20),
		relative: atMost(1.15),
	}
	compareCPU(t, c)
	c.what, c.flags, c.absolute = "prepared routine call", []string{"--set", "prepared=true"}, nil
	compareCPU(t, c)
}

// loadedPostgreSQL returns a database with a fresh schema. Each test builds it again, because
// pgbench's scripts leave orders behind that break the rules.
func loadedPostgreSQL(t *testing.T) postgreSQL {
	t.Helper()
	p := openPostgreSQL(t, "tpcc")
	p.drop(t)
	build(t, p, cpuWarehouses(), builders)
	p.startCounting(t)
	return p
}

// runArguments returns the arguments of sledge run.
func runArguments(s buildable, users int, rampUp, length time.Duration) []string {
	return sledge("run", s.name(), s.values(), "--users", strconv.Itoa(users),
		"--rampup", rampUp.String(), "--duration", length.String(), "--json")
}

// comparison compares the CPU time of sledge and a peer for the same calls.
type comparison struct {
	what    string // a call
	server  reachable
	users   int      // 0 means those of all cpuCases
	flags   []string // of sledge run
	peer    string
	runPeer func(reachable) program // nil without a peer
	count   func() int64
	process int // ID of the server's process, if it is a single one

	// absolute is the target in microseconds, relative the target of the ratio.
	absolute, relative *target

	rate *target // the target of the ratio of calls per second
}

func compareCPU(t *testing.T, c comparison) {
	for _, k := range cpuCases {
		server, transport := c.server, "TCP"
		if k.socket {
			server, transport = server.overSocket(), "Unix socket"
		}
		if server == nil || c.users != 0 && c.users != k.users {
			continue
		}
		var ours, theirs cost
		for range rounds() {
			ours.add(k.users, runSledge(t, server, c.flags), c.count, c.process)
			if c.runPeer != nil {
				theirs.add(k.users, c.runPeer(server), c.count, c.process)
			}
		}
		absolute, relative, rate := c.absolute, c.relative, c.rate
		if !k.targeted {
			absolute = nil
		}
		if k.socket {
			relative, rate = nil, nil
		}
		what := fmt.Sprintf("%s: client CPU per %s, %d users, %s", server.title(), c.what, k.users, transport)
		note(t, figure{
			What: what, Value: median(ours.micros), Unit: "µs", Target: absolute,
			Detail: fmt.Sprintf("%.0f calls/s%s; %s", median(ours.rate), ours.servers(), spread(ours.micros)),
		})
		if c.runPeer == nil {
			continue
		}
		ratio := ratios(ours.micros, theirs.micros)
		note(t, figure{
			What: what + ", against " + c.peer, Value: median(ratio), Unit: "x", Target: relative,
			Detail: fmt.Sprintf("%v against %v; %s", ours, theirs, spread(ratio)),
		})
		rates := ratios(ours.rate, theirs.rate)
		note(t, figure{
			What:  fmt.Sprintf("%s: %ss a second, %d users, %s, against %s", server.title(), c.what, k.users, transport, c.peer),
			Value: median(rates), Unit: "x", Target: rate, Detail: spread(rates),
		})
	}
}

// runSledge returns the program sledge run, without a ramp-up.
func runSledge(t *testing.T, s buildable, flags []string) program {
	return func(users int, length time.Duration) ended {
		return execute(t, nil, sledgeProgram, append(runArguments(s, users, 0, length), flags...)...)
	}
}
