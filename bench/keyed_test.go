//go:build bench && linux

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/document"
	"sledge/internal/option"
	reports "sledge/internal/report"
	"sledge/internal/testserver"
)

// ordersEach is the number of new orders per minute of a session with keying and thinking times. Of
// 23 transactions, 10 are new orders with pauses of 18 and 12 s, and 10 payments with 3 and 12 s;
// the other three have 2 s and 5, 5 and 10 s. So a session begins a transaction every 476/23 = 20.7
// s.
const ordersEach = 60. * 10 / 476

// keyed is a run of sessions with keying and thinking times.
type keyed struct {
	what     string // the sessions and the server
	database string
	values   option.Values // how to connect to it
	sessions int
	clients  int // asynchronous clients of each virtual user; 0 makes each session a virtual user
	flags    []string
	length   time.Duration

	// Targets: the share of the expected new orders, and the client's CPU.
	orders, late, memory, cpu *target
}

// run does the run, records it in a repository, and notes the figures.
func (k keyed) run(t *testing.T) {
	t.Helper()
	const rampUp = time.Minute // all sessions begin at once and need time to spread out
	repository := filepath.Join(t.TempDir(), "jobs.db")
	arguments := []string{
		"run", "--db", k.database, "--repo", repository, "--json", "--set", "key_and_think=true",
		"--users", strconv.Itoa(k.sessions / max(1, k.clients)), "--rampup", rampUp.String(), "--duration", k.length.String(),
	}
	if k.clients > 0 {
		arguments = append(arguments, "--set", "async_scale=true", "--set", "async_clients="+strconv.Itoa(k.clients), "--set", "async_delay=100")
	}
	for name, value := range k.values {
		arguments = append(arguments, "--set", name+"="+value)
	}
	client := child{command(t, nil, sledgeProgram, append(arguments, k.flags...)...), new(bytes.Buffer)}
	var out bytes.Buffer
	client.Stdout, client.Stderr = &out, client.output
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	peak := client.peakMemory()
	client.wait(t)
	var result reports.Document
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	if result.StartLag == nil || result.Client == nil || result.Agreement == nil || !result.Agreement.Holds {
		t.Fatalf("the run does not report the client's CPU, or its counts do not agree:\n%s", out.Bytes())
	}
	k.wantRecorded(t, repository, result, rampUp)

	orders := float64(result.Agreement.Server) / result.Elapsed * 60
	expected := ordersEach * float64(k.sessions)
	sharing := ""
	if s := result.Sharing; s != nil {
		sharing = fmt.Sprintf("; transactions waited %.3g ms for one of %d connections on average, p99 %.3g ms", 1e3*s.Wait.Mean, s.Connections, 1e3*s.Wait.P99)
	}
	note(t, figure{
		What: k.what + ": NOPM relative to the expected NOPM", Value: orders / expected, Unit: "x", Target: k.orders,
		Detail: fmt.Sprintf("%.0f of %.0f in %s; response p99 %.3g ms%s", orders, expected, k.length, result.All.Response.P99, sharing),
	})
	note(t, figure{
		What: k.what + ": p99 of how late transactions began", Value: float64(result.StartLag.P99), Unit: "ms", Target: k.late,
		Detail: fmt.Sprintf("mean %.3g ms, max %.3g ms", float64(result.StartLag.Mean), float64(result.StartLag.Max)),
	})
	note(t, figure{What: k.what + ": resident memory of the client", Value: float64(peak) / 1e6, Unit: "MB", Target: k.memory})
	note(t, figure{
		What: k.what + ": client CPU", Value: 100 * result.Client.CoresUsed, Unit: "% of a core", Target: k.cpu,
		Detail: fmt.Sprintf("of %d transactions, %.3g µs each", result.All.Done, 1e6*result.Client.CoresUsed*result.Elapsed/float64(result.All.Done)),
	})
}

// wantRecorded fails the test unless every second of the run is in the repository.
func (k keyed) wantRecorded(t *testing.T, repository string, result reports.Document, rampUp time.Duration) {
	t.Helper()
	var tpm document.TPM
	text := execute(t, nil, sledgeProgram, "jobs", "tpm", string(result.ID), "--repo", repository, "--json").output
	if err := json.Unmarshal(text, &tpm); err != nil {
		t.Fatal(err)
	}
	if seconds := int((rampUp + k.length).Seconds()); result.UnrecordedEvents > 0 || len(tpm.Points) < seconds-2 {
		t.Errorf("%d of %d seconds are recorded, and %d events are missing", len(tpm.Points), seconds, result.UnrecordedEvents)
	}
}

// TestKeyed runs a hundred virtual users with a hundred asynchronous clients each: ten thousand
// sessions with keying and thinking times, each on its own connection to a server that does no
// work. Every delay beyond the standard's pauses is therefore the client's.
func TestKeyed(t *testing.T) {
	p := openPostgreSQL(t, "bench_keyed")
	p.drop(t)
	defer p.drop(t)
	build(t, p, 1, 1)
	k := keyed{
		what: "10,000 keyed sessions, a server that does nothing", database: "postgresql", sessions: 10_000, clients: 100, length: 3 * time.Minute,
		orders: atLeast(0.99), late: atMost(10), memory: atMost(600), cpu: atMost(25),
	}
	if testing.Short() {
		k.what, k.sessions, k.length = "1,000 keyed sessions, a server that does nothing", 1000, 30*time.Second
	}
	k.values = p.values()
	k.values["host"], k.values["port"], _ = strings.Cut(p.standIn(t), ":")
	k.run(t)
}

// standIn starts a stand-in for the server and returns its address.
func (p postgreSQL) standIn(t *testing.T) string {
	t.Helper()
	plan := p.plan(t, 1)
	text := func(name string) string {
		q, err := plan.SQL.Query(name)
		if err != nil {
			t.Fatal(err)
		}
		return q.Text
	}
	return startServer(t, "stand-in", standInSource+"="+p.DataSource(p.database), standInProbe+"="+text("probe"), standInCount+"="+text("counter"))
}

// keyedWarehouses is much smaller than the standard's one warehouse per ten sessions. Sessions
// pause for so long that they rarely meet nevertheless.
const keyedWarehouses = 20

// TestKeyedMariaDB runs two thousand sessions, each on its own connection to a real server.
func TestKeyedMariaDB(t *testing.T) {
	k := keyed{
		what: "2,000 keyed sessions, MariaDB", sessions: 2000, length: 2 * time.Minute,
		orders: atLeast(0.98),
	}
	warehouses := keyedWarehouses
	if testing.Short() {
		k.what, k.sessions, k.length, warehouses = "200 keyed sessions, MariaDB", 200, 30*time.Second, 2
	}
	m := openMariaDB(t, "bench_keyed", testserver.Setting(fmt.Sprintf("max_connections=%d", k.sessions+100)), testserver.Own())
	k.runOn(t, m, warehouses)
}

// TestKeyedShared runs ten thousand sessions that share two hundred connections to a real server.
func TestKeyedShared(t *testing.T) {
	k := keyed{
		what: "10,000 keyed sessions on 200 connections, PostgreSQL", sessions: 10_000, length: 2 * time.Minute,
		flags: []string{"--connections", "200"}, orders: atLeast(0.98),
	}
	warehouses := keyedWarehouses
	if testing.Short() {
		k.what, k.sessions, k.length, warehouses = "1,000 keyed sessions on 200 connections, PostgreSQL", 1000, 30*time.Second, 2
	}
	k.runOn(t, openPostgreSQL(t, "bench_keyed_shared"), warehouses)
}

// runOn does the run on a real server, and checks its schema afterwards.
func (k keyed) runOn(t *testing.T, s loadable, warehouses int) {
	t.Helper()
	s.drop(t)
	defer s.drop(t)
	build(t, s, warehouses, builders)
	k.database, k.values = s.name(), s.values()
	k.run(t)
	execute(t, nil, sledgeProgram, sledge("check", s.name(), s.values(), "--warehouses", strconv.Itoa(warehouses))...)
}
