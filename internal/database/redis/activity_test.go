package redis

import (
	"context"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/testserver"
)

// One client waits for a list, one has begun a transaction, and one is idle.
func TestActivity_ListsClientsThatWait(t *testing.T) {
	values := testserver.Open(t, "redis").Values()
	connected := func() *session {
		t.Helper()
		s, err := connect(t.Context(), options(t, "activity", values), database.Owner)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s.(*session)
	}
	monitor, blocked, begun, idle := connected(), connected(), connected(), connected()
	if _, err := begun.ask(t.Context(), "MULTI"); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		_, _ = blocked.ask(context.Background(), "BLPOP", "sledge:activity", "30") // it is interrupted
		close(done)
	}()
	want := map[string]struct {
		wait  string
		class database.WaitClass
	}{
		blocked.id: {"blocked in blpop", database.WaitOther},
		begun.id:   {"client in MULTI", database.WaitNetwork},
	}
	var found map[string]database.ActiveSession
	for end := time.Now().Add(10 * time.Second); len(found) < len(want) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		list, err := activity.List(t.Context(), monitor)
		if err != nil {
			t.Fatal(err)
		}
		found = map[string]database.ActiveSession{}
		for _, one := range list {
			found[one.ID] = one
		}
	}
	for id, want := range want {
		if class, _ := Database.Runs.Waits.Class(found[id].Wait); found[id].Wait != want.wait || class != want.class {
			t.Errorf("got %+v of the class %s, want %s of the class %s", found[id], class, want.wait, want.class)
		}
	}
	for _, s := range []*session{monitor, idle} {
		if one, there := found[s.id]; there {
			t.Errorf("got %+v, want no client that does nothing", one)
		}
	}
	described, err := details.List(t.Context(), monitor, nil)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, one := range described {
		if one.User != "default" || one.Database == "" || one.Client == "" {
			t.Errorf("got %+v, want the client's user, database and address", one)
		}
		states[one.ID] = one.State
	}
	if _, itself := states[monitor.id]; itself || states[blocked.id] != "blocked in blpop" || states[idle.id] != "idle" {
		t.Errorf("got the states %v", states)
	}
	if connected, most, err := details.Count(t.Context(), monitor); err != nil || connected < 4 || most < connected {
		t.Errorf("got %d of at most %d clients, %v", connected, most, err)
	}
	blocked.Interrupt()
	<-done
}

// Every wait that the code names has a class by a rule.
func TestWaits_ClassWhatClientsWaitFor(t *testing.T) {
	for _, tt := range []struct {
		client map[string]string
		want   database.WaitClass
	}{
		{map[string]string{"flags": "b", "cmd": "blpop", "qbuf": "0"}, database.WaitOther},
		{map[string]string{"flags": "b", "cmd": "wait"}, database.WaitCommit},
		{map[string]string{"flags": "N", "cmd": "get", "qbuf": "26", "obl": "0", "oll": "0"}, database.WaitCPU},
		{map[string]string{"flags": "N", "cmd": "get", "qbuf": "26", "oll": "3"}, database.WaitNetwork},
		{map[string]string{"flags": "x", "cmd": "set", "qbuf": "0"}, database.WaitNetwork},
	} {
		wait := waitOf(tt.client)
		if class, known := Database.Runs.Waits.Class(wait); wait == "" || class != tt.want || !known {
			t.Errorf("%v: got %q of the class %s, want the class %s", tt.client, wait, class, tt.want)
		}
	}
	if wait := waitOf(map[string]string{"flags": "N", "cmd": "get", "qbuf": "0", "obl": "0", "oll": "0"}); wait != "" {
		t.Errorf("got %q of an idle client", wait)
	}
}
