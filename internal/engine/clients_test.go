package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	hammerdb "sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/workload"
)

// keyed returns a plan of two users with four asynchronous clients each. A transaction takes 100
// ms, after 1 s of keying time. The measured time is 11 s.
func keyed() plan.Plan {
	p := plantest.New(plantest.User{Takes: 100 * time.Millisecond, Keying: time.Second}, load.Pacing{
		RampUp: 3 * time.Second, Duration: 11 * time.Second, Clients: load.Clients{PerUser: 4, LoginDelay: 2 * time.Second},
	})
	w := *p.Workload
	w.Users.Pauses = &workload.Pauses{Option: "key_and_think", On: func(any) bool { return true }}
	p.Workload = &w
	p.Users = 2
	return p
}

// phases records the start of each phase and the lines of the first virtual user.
type phases struct {
	began   time.Time
	at      map[job.Phase]time.Duration
	seconds []job.Second
	speaker *hammerdb.Speaker
	said    []string
	mu      sync.Mutex
}

func (p *phases) Watch(e job.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Phase != nil {
		p.at[e.Phase.Name] = time.Since(p.began)
	}
	if e.Second != nil {
		p.seconds = append(p.seconds, *e.Second)
	}
	for _, line := range p.speaker.Say(e) {
		if line.User == job.FirstWorker {
			p.said = append(p.said, line.Text)
		}
	}
}

func watchPhases() *phases {
	return &phases{began: time.Now(), at: map[job.Phase]time.Duration{}, speaker: hammerdb.NewSpeaker(hammerdb.About{Action: job.Run})}
}

// The clients log in before the ramp-up begins, and each works as soon as it has logged in.
func TestClients_LogInBeforeTheRampUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := watchPhases()
		result, err := Local{}.perform(t.Context(), job.Run, keyed(), &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if login, rampUp, measure := seen.at[job.LogIn], seen.at[job.RampUp], seen.at[job.Measure]; login != 0 || rampUp != 6*time.Second || measure != 9*time.Second {
			t.Errorf("log in began at %s, the ramp-up at %s and the measurement at %s; want 0s, 6s and 9s", login, rampUp, measure)
		}
		var sessions []int
		var before int64
		for _, s := range seen.seconds {
			if s.Phase == job.LogIn {
				sessions = append(sessions, s.Sessions)
				before += s.Measured.Ended()
			}
		}
		if !slices.IsSorted(sessions) || sessions[0] != 2 || before < 10 {
			t.Errorf("while clients logged in, the numbers of sessions were %v and %d transactions ended; want 2 sessions at first, more later, and at least 10 transactions", sessions, before)
		}
		all := result.Summary.All()
		if all.Done < 78 || all.Done > 82 {
			t.Errorf("8 clients did %d transactions in 11 s, want one per client and 1.1 s", all.Done)
		}
		if result.Users != 2 || result.Clients != 4 || result.StartLag == nil || result.StartLag.Max > 1 {
			t.Errorf("got %d users with %d clients and a start lag of %+v; want 2, 4 and at most 1 ms", result.Users, result.Clients, result.StartLag)
		}
		want := []string{
			"RUNNING", "Started asynchronous clients:vuser2:ac1 vuser2:ac2 vuser2:ac3 vuser2:ac4",
			"Processing 1099511627776 transactions with output suppressed...", "All asynchronous clients complete", "FINISHED SUCCESS",
		}
		if !slices.Equal(seen.said, want) {
			t.Errorf("got %q, want %q", seen.said, want)
		}
	})
}

// Clients that share connections start one after the other too, although the connections exist
// before the run.
func TestClients_ShareConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := keyed()
		p.Pacing.Connections.Shared = 3
		seen := watchPhases()
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if seen.at[job.RampUp] != 6*time.Second || result.Sharing == nil || result.Sharing.Connections != 3 || result.Summary.All().Done < 78 {
			t.Errorf("got the ramp-up at %s, %+v and %d transactions; want 6s, 3 connections and 80", seen.at[job.RampUp], result.Sharing, result.Summary.All().Done)
		}
	})
}

func TestClients_FailedLogInEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := keyed()
		d := *p.Database
		connected := 0
		var mu sync.Mutex
		d.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
			mu.Lock()
			defer mu.Unlock()
			if connected++; connected > 5 { // the first session is the monitor's
				return nil, errors.New("too many connections")
			}
			return p.Database.Sessions.Connect(ctx, options, as)
		}
		bad := p
		bad.Database = &d
		result, err := Local{}.perform(t.Context(), job.Run, bad, &feed.Feed{}, nil)
		if err == nil || !strings.Contains(err.Error(), "client 2: log in: too many connections") || result.Status != job.Failed {
			t.Errorf("got %v and the status %q; want the client that could not log in, and failed", err, result.Status)
		}
	})
}

// A run that is stopped while clients log in ends at once with a partial result.
func TestClients_StopRequestEndsTheLogIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		time.AfterFunc(3*time.Second, func() { close(stop) })
		began := time.Now()
		result, err := Local{}.perform(t.Context(), job.Run, keyed(), &feed.Feed{}, stop)
		if job.ExitOf(err) != job.ExitStopped || result.Status != job.Partial {
			t.Errorf("got %v and the status %q, want exit code stopped and a partial result", err, result.Status)
		}
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("it ended after %s, want soon after the 3 s", took)
		}
	})
}

func TestClients_EachUseThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := Local{}.perform(t.Context(), job.Run, pooled(keyed(), "a", "b"), &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result.Pool == nil || len(result.Pool.Connections) != 2 || len(result.Pool.Users) != 2 {
			t.Fatalf("got %+v, want two connections and two users", result.Pool)
		}
		// In 11 s each of 2 × 4 clients begins ten transactions, which use the two connections in
		// turn.
		for user, kinds := range result.Pool.Users {
			if kinds[0] < 36 || kinds[0] > 44 {
				t.Errorf("virtual user %d: got %d transactions, want 40 of four clients", user, kinds[0])
			}
		}
		for _, c := range result.Pool.Connections {
			if perMinute := 40 * 60 / 11.; math.Abs(c.PerMinute-perMinute) > perMinute/10 {
				t.Errorf("connection %s: got %.0f transactions per minute, want half of all, %.0f", c.Name, c.PerMinute, perMinute)
			}
		}
	})
}

func TestClients_RefusedWithTestDriverOrTooMany(t *testing.T) {
	pair := keyed().Pair
	many := option.Values{"async_scale": "true", "async_clients": "50000"}
	if _, err := plan.New(pair, job.Spec{Action: job.Build, Users: 3, Options: many}); err != nil {
		t.Errorf("a build, which has no clients: got %v", err)
	}
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"async_scale": "true", "driver": "test"}, "option async_scale: a test shows what each user does"},
		{many, "option async_clients: 3 virtual users with 50000 each are 150000 clients"},
		{option.Values{"async_scale": "true"}, ""}, // with pauses or without
	} {
		_, err := plan.New(pair, job.Spec{Action: job.Run, Users: 3, Options: tt.values})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: got %v, want %q", tt.values, err, tt.want)
		}
	}
}
