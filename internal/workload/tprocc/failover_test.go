package tprocc_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

// TestRun_OutlivesItsServer kills the server in the middle of a run with reconnect, and starts
// it again. The first address of the list has no server.
func TestRun_OutlivesItsServer(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]option.Values{
		"postgresql": {},
		"mariadb":    {"connections": "6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testserver.Open(t, name, oneWarehouse(name))
			values := option.Values(server.Values())
			values["host"] = fmt.Sprintf("127.0.0.1:1,%s:%d", server.Host, server.Port)
			do := func(action job.Action, control job.Control, more option.Values) (job.Result, error) {
				options := values.Clone()
				maps.Copy(options, more)
				spec := job.Spec{Action: action, Database: name, Workload: "tprocc", Seed: 1, Users: 8, Options: options}
				return local.Do(t.Context(), spec, control)
			}
			run := option.Values{"rampup": "1s", "duration": "12s", "reconnect": "true", "ledger": "true"}
			maps.Copy(run, unhurried)
			maps.Copy(run, with)
			kill := &trigger{after: 4 * time.Second, do: func() {
				server.Stop(testserver.Immediate)
				time.Sleep(time.Second) // otherwise the server would recover before the outage is noticed
				server.Start()
			}}
			result, err := do(job.Run, job.Control{Watchers: []job.Watcher{kill}}, run)
			if err != nil {
				t.Fatal(err)
			}
			all := result.Summary.All()
			if all.Failed[meter.Connection] == 0 || result.Status != job.Succeeded {
				t.Errorf("got status %s and failures %v, want a run that succeeded though connections were lost", result.Status, all.Failed)
			}
			if len(result.Outages) != 1 {
				t.Fatalf("got outages %+v, want one", result.Outages)
			}
			o := result.Outages[0]
			if o.From < 3.5 || o.From > 9 || o.Lost < 6 || o.Silent < 0.9 || o.RateBefore < 10 || result.LongestGap.Seconds < o.Silent {
				t.Errorf("got the outage %+v and the gap %+v, want one of at least 6 connections after about 4 s", o, result.LongestGap)
			}
			l := result.Ledger
			if l == nil || !l.Holds() || l.Acknowledged < all.Done/2 || l.Found+l.Unproven != l.Acknowledged || l.InDoubt == 0 || len(l.Kinds) != 3 {
				t.Errorf("got the ledger %+v of %d transactions", l, all.Done)
			}
			if result.Uncounted == "" {
				t.Error("the server's own count is used though it was reset")
			}
			if a := result.Agreement; a == nil || !a.Holds && !a.Vague { // a busy machine may do few transactions
				t.Errorf("got the agreement %+v on new orders", a)
			}
			if result, err := do(job.Check, job.Control{}, nil); err != nil {
				t.Errorf("%v: %+v", err, result.Findings)
			}

			stopped := make(chan struct{})
			leave := &trigger{after: time.Second, do: func() { server.Stop(testserver.Immediate); close(stopped) }}
			maps.Copy(run, option.Values{"duration": "5m", "rampup": "0s", "reconnect_limit": "1s", "ledger": "false"})
			_, err = do(job.Run, job.Control{Watchers: []job.Watcher{leave}}, run)
			if job.ExitOf(err) != job.ExitAborted || !strings.Contains(err.Error(), "no server has accepted a connection for 1s, which is what option reconnect_limit allows") {
				t.Errorf("of a server that stays away: got %v with exit code %d, want %d", err, job.ExitOf(err), job.ExitAborted)
			}
			<-stopped
		})
	}
}

func TestLedger_ErrorsHaveTheirOwnExitCode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, test := range []struct {
		name      string
		statement string
		client    string
		want      job.Account // what is missing and what appears twice
	}{
		{"an order is gone", "DELETE FROM orders WHERE ctid = (SELECT ctid FROM orders WHERE o_id > 3000 ORDER BY o_id DESC LIMIT 1)", "true", job.Account{Missing: 1}},
		{"a payment is there again", "INSERT INTO history SELECT * FROM history LIMIT 1", "false", job.Account{Twice: 1}},
		{"a payment is another", "UPDATE history SET h_amount = h_amount + 1 WHERE ctid = (SELECT ctid FROM history LIMIT 1)", "false", job.Account{Missing: 1, Twice: 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := (&place{d: postgresql.Database, values: b.values}).plan(t)
			s, err := plan.Database.Sessions.Connect(t.Context(), plan.Connection, database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			changed := make(chan error, 1)
			change := &trigger{do: func() { changed <- s.Exec(context.Background(), test.statement) }}
			result, err := b.do(t, job.Spec{Action: job.Run, Users: 4, Options: unhurried}, job.Control{Watchers: []job.Watcher{change}},
				"rampup", "0s", "duration", "3s", "ledger", "true", "client_sql", test.client, "mix", "10,10,0,0,0")
			if err := <-changed; err != nil {
				t.Fatal(err)
			}
			l := result.Ledger
			if job.ExitOf(err) != job.ExitLost || result.Status != job.Failed || l == nil || len(l.Examples) != 1 {
				t.Fatalf("got %v with exit code %d, status %s and the ledger %+v, want %d and an example", err, job.ExitOf(err), result.Status, l, job.ExitLost)
			}
			if got := (job.Account{Missing: l.Missing, Twice: l.Twice}); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
