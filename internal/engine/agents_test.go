package engine

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"sledge/internal/agent"
	"sledge/internal/agent/server"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// serveAgent starts an agent on an address.
func serveAgent(t *testing.T, identity server.Identity, at string) (address string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Error(err)
		return at, func() {}
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.New(identity, "test").Serve(ctx, listener) }()
	return listener.Addr().String(), func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// One agent works, one is stopped and started again, and one refuses the token.
func TestRun_WatchesMachinesThroughAgents(t *testing.T) {
	identity, token, err := server.Init(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	address, stop := serveAgent(t, identity, "127.0.0.1:0")
	defer stop()
	other, stopOther := serveAgent(t, identity, "127.0.0.1:0")
	list := agent.ListIn(t.TempDir())
	for _, one := range []agent.Saved{{Name: "db1", Address: address, Token: token}, {Name: "app", Address: other, Token: token}, {Name: "wrong", Address: address, Token: "wrong"}} {
		one.Fingerprint = identity.Fingerprint()
		if err := list.Put(one, false); err != nil {
			t.Fatal(err)
		}
	}
	restarted := make(chan func(), 1)
	time.AfterFunc(1300*time.Millisecond, func() {
		stopOther()
		time.Sleep(700 * time.Millisecond)
		_, again := serveAgent(t, identity, other)
		restarted <- again
	})

	p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 5 * time.Second, Kept: load.Kept{Samples: true, Agents: []string{"db1", "app", "wrong"}}})
	samples := map[string][]time.Time{} // of memory, by machine
	var facts job.Facts
	begun := time.Now()
	seen := plantest.Watcher(func(e job.Event) {
		if e.Facts != nil {
			facts = *e.Facts
		}
		for _, one := range e.Samples {
			if one.Name == "memory" && one.Labels["use"] == "used" {
				samples[one.Labels["machine"]] = append(samples[one.Labels["machine"]], e.At)
			}
		}
	})
	result, err := Local{Agents: list}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
	(<-restarted)()
	if err != nil {
		t.Fatal(err)
	}
	n := len(samples["db1"])
	if n < 4 || len(samples["client"]) < 4 || len(samples["wrong"]) > 0 {
		t.Fatalf("got samples at %v, want one a second of db1 and of the client, and none of wrong", samples)
	}
	if mean := samples["db1"][n-1].Sub(samples["db1"][0]) / time.Duration(n-1); mean < 900*time.Millisecond || mean > 1300*time.Millisecond {
		t.Errorf("got a sample every %s of db1, want one a second", mean)
	}
	for _, at := range samples["db1"] {
		if at.Before(begun) || at.After(time.Now()) {
			t.Errorf("a sample was placed at %v, outside the run that began at %v", at, begun)
		}
	}
	if facts.Machines["db1"].CPUs == 0 || facts.Machines["app"].CPUs == 0 || len(facts.Machines) != 2 {
		t.Errorf("got the machines %+v, want db1 and app", facts.Machines)
	}
	found := map[string]job.Agent{}
	for _, one := range result.Agents {
		found[one.Name] = one
	}
	const overloaded = 2 // seconds that an agent may miss on a machine that others keep busy
	if one := found["db1"]; one.GapSeconds > overloaded || one.AheadSeconds == nil || *one.AheadSeconds > 0.1+*one.WithinSeconds {
		t.Errorf("got %+v of an agent that worked", one)
	}
	if one := found["app"]; one.GapSeconds < 0.5 || one.GapSeconds > 4+overloaded || one.Readings == 0 {
		t.Errorf("got %+v of an agent that was restarted", one)
	}
	if one := found["wrong"]; one.GapSeconds < 4 || one.Readings > 0 || one.AheadSeconds != nil {
		t.Errorf("got %+v of an agent that refused the token", one)
	}
	unobserved := map[string]string{}
	for _, u := range result.Unobserved {
		unobserved[u.Observer] = u.Error
	}
	if found["db1"].GapSeconds > 0 && strings.Contains(unobserved["The machine db1"], "overloaded") {
		delete(unobserved, "The machine db1")
	}
	if len(unobserved) != 2 || !strings.Contains(unobserved["The machine app"], "UTC: ") || !strings.Contains(unobserved["The machine wrong"], "refused the token") {
		t.Errorf("got the unobserved %v, want the gaps of app and wrong", unobserved)
	}
}

func TestRun_RefusesAnAgentThatIsNotSaved(t *testing.T) {
	p := plantest.New(plantest.User{Takes: time.Millisecond}, load.Pacing{Duration: time.Second, Kept: load.Kept{Samples: true, Agents: []string{"db1"}}})
	_, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
	if job.ExitOf(err) != job.ExitMissing || !strings.Contains(err.Error(), "option agents: there is no agent \"db1\"") {
		t.Errorf("got %v", err)
	}
}
