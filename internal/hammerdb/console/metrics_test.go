package console

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/agent"
	"sledge/internal/agent/server"
	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/testserver"
)

func TestMetrics_PrintALineEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &screenText{}
		var reads atomic.Int32
		closed := false
		sample := func(mode string, value float64) job.Sample {
			return job.Sample{Series: job.Series{Name: "CPU", Labels: map[string]string{"mode": mode}}, Value: value}
		}
		of := machine{
			read: func(context.Context) ([]agent.Placed, error) {
				switch reads.Add(1) {
				case 2, 3: // the machine does not answer
					return nil, errors.New("no answer within 2s")
				case 4:
					return nil, errors.New("connection refused")
				case 5: // with readings of before
					return []agent.Placed{{Samples: []job.Sample{sample("user", 20)}}}, errors.New("no answer within 2s")
				}
				return []agent.Placed{{Samples: []job.Sample{sample("user", 10), sample("system", 5)}}, {Samples: []job.Sample{sample("user", 30), sample("system", 5)}}}, nil
			},
			close: func() { closed = true },
		}
		m := metrics{host: "db1", id: "10000"}
		m.begin(t.Context(), of, func(line string) { _, _ = out.Write([]byte(line + "\n")) })
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if reads.Load() > 0 {
			t.Errorf("got %d readings after 9 s", reads.Load())
		}
		time.Sleep(52 * time.Second)
		synctest.Wait()
		if !m.end() || !closed || m.end() {
			t.Errorf("the metrics did not end once: closed %t", closed)
		}
		time.Sleep(time.Minute)
		if reads.Load() != 6 {
			t.Errorf("got %d readings in a minute, want 6", reads.Load())
		}
		matches(t, out.String(),
			"CPU all usr%-20.00 sys%-5.00 irq%-0.00 idle%-75.00",
			"CPU metrics of db1: not measured: no answer within 2s",
			"CPU metrics of db1: not measured: connection refused",
			"CPU all usr%-20.00 sys%-0.00 irq%-0.00 idle%-80.00",
			"CPU all usr%-20.00 sys%-5.00 irq%-0.00 idle%-75.00",
		)
	})
}

// processors matches the line of the metrics on a machine that may have no disks.
const processors = `CPU all usr%-\d+\.\d\d sys%-\d+\.\d\d irq%-\d+\.\d\d idle%-\d+\.\d\d(?: IOPS-\d+ MB/s-\d+\.\d\d)?`

// part returns the JSON of a part of the newest job.
func part(t *testing.T, c *Console, out *screenText, name string) string {
	t.Helper()
	before := len(out.String())
	call(t, c, "jobs last "+name)
	return out.String()[before:]
}

func TestMetrics_OfThisMachineAreShownAndRecordedBesideJobs(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	folder := t.TempDir()
	c, out := counting(t, folder)
	c.OpenStore = func(string) (*repository.Store, error) { return repository.Open(filepath.Join(folder, "jobs.db")) }
	c.metrics.every = 500 * time.Millisecond
	for _, line := range []string{
		"jobs format JSON", "dbset db sqlite", "diset connection sqlite_file " + filepath.Join(folder, "tpcc.sqlite"), "metset agent_hostname localhost", "metstart",
		"buildschema",
	} {
		call(t, c, line)
	}
	row := `"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d": \{\s+"usr%": "\d+\.\d",\s+"sys%": "\d+\.\d",\s+"irq%": "\d+\.\d",\s+"idle%": "\d+\.\d"`
	if got := part(t, c, out, "metrics"); !regexp.MustCompile(row).MatchString(got) {
		t.Errorf("the build: got the metrics %s", got)
	}
	for _, line := range []string{"diset tpcc sqlite_driver timed", "diset tpcc sqlite_rampup 0", "diset tpcc sqlite_duration 3s", "loadscript", "vuset vu 1", "vurun"} {
		call(t, c, line)
	}
	printed := out.String()
	_, during, _ := strings.Cut(printed, "Timing test period of")
	during, _, found := strings.Cut(during, "Test complete")
	if !found || !regexp.MustCompile(`(?m)^`+processors+`$`).MatchString(during) {
		t.Errorf("got\n%s\nwant the processors' line during the run", printed)
	}
	if got := part(t, c, out, "metrics"); !regexp.MustCompile(row).MatchString(got) {
		t.Errorf("the run: got the metrics %s", got)
	}
	if got := part(t, c, out, "system"); !strings.Contains(got, `"extra": "the machine that Sledge ran on"`) || strings.Contains(got, `"cpucount": ""`) {
		t.Errorf("the run: got the system %s", got)
	}
	call(t, c, "metstop")
	before := out.String()
	time.Sleep(700 * time.Millisecond)
	if got := out.String(); got != before {
		t.Errorf("after metstop: got %s", strings.TrimPrefix(got, before))
	}
	if err := c.Failure(); err != nil {
		t.Errorf("got the failure %v, want none", err)
	}
}

// served returns an agent of this machine, saved under the name db1.
func served(t *testing.T) (agent.List, agent.Saved) {
	t.Helper()
	folder := t.TempDir()
	identity, token, err := server.Init(folder, false)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.New(identity, "test").Serve(ctx, listener) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	saved := agent.Saved{Name: "db1", Address: listener.Addr().String(), Fingerprint: identity.Fingerprint(), Token: token}
	list := agent.ListIn(folder)
	if err := list.Put(saved, false); err != nil {
		t.Fatal(err)
	}
	return list, saved
}

func TestMetrics_OfAnAgentAreThoseOfItsMachine(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	list, saved := served(t)
	folder := t.TempDir()
	c, out := counting(t, folder)
	c.Agents, c.Runner = list, engine.Local{Catalog: edition.Catalog, Agents: list}
	c.OpenStore = func(string) (*repository.Store, error) { return repository.Open(filepath.Join(folder, "jobs.db")) }
	c.metrics.every = 1500 * time.Millisecond
	call(t, c, "metset agent_hostname db1")
	call(t, c, "metstart")
	matches(t, out.String(),
		"Metrics agent hostname set to db1", "Connecting to Agent to Display CPU Metrics", "Connecting to Sledge Agent db1 @ "+regexp.QuoteMeta(saved.Address),
		"Testing Agent Connectivity...OK", "Metrics Connected", `System Discovery: .+ \| OS: .+ \| Memory: .+`, `Started CPU Metrics for .+:\(\d+ CPUs\)`)
	for _, line := range []string{
		"jobs format JSON", "dbset db sqlite", "diset connection sqlite_file " + filepath.Join(folder, "tpcc.sqlite"), "buildschema",
		"diset tpcc sqlite_driver timed", "diset tpcc sqlite_rampup 0", "diset tpcc sqlite_duration 3s", "loadscript", "vuset vu 1", "vurun",
	} {
		call(t, c, line)
	}
	if !regexp.MustCompile(`(?m)^` + processors + `$`).MatchString(out.String()) {
		t.Errorf("got\n%s\nwant the processors' line", out)
	}
	if got := part(t, c, out, "metrics"); !strings.Contains(got, `"usr%"`) {
		t.Errorf("got the metrics %s", got)
	}
	if got := part(t, c, out, "system"); !strings.Contains(got, `"extra": "the machine of the agent db1"`) {
		t.Errorf("got the system %s", got)
	}
	store, err := c.jobsStore()
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Get(t.Context(), "last")
	if err != nil || run.Spec.Options["agents"] != "db1" || len(run.Result.Agents) != 1 {
		t.Errorf("got the agents %q and %v, %v: want the one of the metrics", run.Spec.Options["agents"], run.Result.Agents, err)
	}
	call(t, c, "metstop")
	if err := c.Failure(); err != nil {
		t.Errorf("got the failure %v, want none", err)
	}
}

func TestMetstart_FindsTheSavedAgent(t *testing.T) {
	list := agent.ListIn(t.TempDir())
	for _, one := range []agent.Saved{
		{Name: "db1", Address: "10.0.0.5:7343"},
		{Name: "tunnel", Address: "127.0.0.1:7343"},
		{Name: "one", Address: "10.0.0.6:7343"},
		{Name: "two", Address: "10.0.0.6:7344"},
	} {
		if err := list.Put(one, false); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := newConsole(t, "")
	c.Agents = list
	for _, test := range []struct{ host, id, want string }{
		{"db1", "10000", "db1"},
		{"10.0.0.5", "10000", "db1"},
		{"10.0.0.6", "7344", "two"},
		{"127.0.0.1", "7343", "tunnel"},
		{"127.0.0.1", "10000", ""}, // this machine
		{"localhost", "10000", ""},
		{"db9", "10000", ""},
	} {
		found, ok, err := c.agentOf(test.host, test.id)
		if err != nil || found.Name != test.want || ok != (test.want != "") {
			t.Errorf("%s %s: got %q, %t, %v, want %q", test.host, test.id, found.Name, ok, err, test.want)
		}
	}
	if _, _, err := c.agentOf("10.0.0.6", "10000"); job.ExitOf(err) != job.ExitUsage || !strings.HasPrefix(err.Error(), "2 agents of 10.0.0.6 are saved") {
		t.Errorf("several agents of a host: got %v", err)
	}
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "::1": true, "10.0.0.5": false, "db1": false} {
		if got := isLocal(host); got != want {
			t.Errorf("%s: got local %t", host, got)
		}
	}
}

func TestMetstart_FailsIfTheAgentDoesNotAnswer(t *testing.T) {
	list, saved := served(t)
	saved.Fingerprint = strings.Repeat("0", 64) // another server's
	if err := list.Put(saved, true); err != nil {
		t.Fatal(err)
	}
	c, out := counting(t, t.TempDir())
	c.Agents = list
	call(t, c, "metset agent_hostname db1")
	call(t, c, "metstart")
	call(t, c, "metstatus")
	lines := strings.Split(out.String(), "\n")
	for _, want := range []string{"AGENT CONNECTION FAILED", "CPU Metrics are not running on db1"} {
		if !slices.Contains(lines, want) {
			t.Errorf("got\n%s\nwant %q", out, want)
		}
	}
	if got := out.String(); !strings.Contains(got, "Connection failed verify agent hostname and id @ db1:10000: the server has another certificate") {
		t.Errorf("got\n%s\nwant the reason", got)
	}
	if got := job.ExitOf(c.Failure()); got != job.ExitConnect {
		t.Errorf("got exit code %d, want %d", got, job.ExitConnect)
	}
}
