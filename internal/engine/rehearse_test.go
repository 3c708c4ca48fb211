package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"
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

// outcomeUser is a User that describes the outcome of its transactions.
type outcomeUser struct{ *plantest.User }

func (outcomeUser) Outcome() string { return "Only: 1 {2}" }

// transcript keeps every line of HammerDB's output, with its user's position.
type transcript struct {
	speaker *hammerdb.Speaker
	lines   []string
}

func newTranscript() *transcript {
	return &transcript{speaker: hammerdb.NewSpeaker(hammerdb.About{Action: job.Run})}
}

func (s *transcript) Watch(e job.Event) {
	for _, line := range s.speaker.Say(e) {
		s.lines = append(s.lines, strconv.Itoa(line.User)+" "+line.Text)
	}
}

func TestRehearsal_ShowsEachTransaction(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []error
		pacing load.Pacing
		stop   time.Duration

		want     string
		wantExit job.Exit
	}{
		{
			name:   "and counts how they ended",
			script: []error{nil, plantest.ErrBroken, workload.ErrRolledBack, plantest.ErrDeadlock, nil},
			pacing: load.Pacing{MaxIterations: 4, Failures: load.Failures{Retries: 1, Limit: 30}},
			want: `1 RUNNING
1 Processing 4 transactions without output suppressed...
1 only
1 Only: 1 {2}
1 only
1 only : broken rule
1 only
1 only : rolled back as the workload asks
1 only
1 only : deadlock
1 only
1 Only: 1 {2}
1 FINISHED SUCCESS
0 only: 2 done, 1 rolled back, 1 failed, 1 retried`,
		},
		{
			name:   "and ends at the first failure where that is asked for",
			script: []error{nil, plantest.ErrBroken},
			pacing: load.Pacing{MaxIterations: 4, Failures: load.Failures{EndAtFirst: true}},
			want: `1 RUNNING
1 Processing 4 transactions without output suppressed...
1 only
1 Only: 1 {2}
1 only
1 only : broken rule
0 Error in Virtual User 1: only: broken rule
1 FINISHED FAILED
0 only: 1 done, 0 rolled back, 1 failed, 0 retried`,
			wantExit: job.ExitAborted,
		},
		{
			name:   "until it is stopped",
			pacing: load.Pacing{MaxIterations: 1 << 40},
			stop:   150 * time.Millisecond,
			want: `1 RUNNING
1 Processing 1099511627776 transactions without output suppressed...
1 only
1 Only: 1 {2}
1 only
1 Only: 1 {2}
1 FINISHED SUCCESS
0 only: 2 done, 0 rolled back, 0 failed, 0 retried`,
			wantExit: job.ExitStopped,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stop chan struct{}
				if tt.stop > 0 {
					stop = make(chan struct{})
					time.AfterFunc(tt.stop, func() { close(stop) })
				}
				tt.pacing.Test = true
				p := withOutcomes(plantest.New(plantest.User{Takes: 100 * time.Millisecond, Script: tt.script}, tt.pacing))
				seen := newTranscript()
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, stop)
				if got := strings.Join(seen.lines, "\n"); got != tt.want {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want)
				}
				if got := job.ExitOf(err); got != tt.wantExit {
					t.Errorf("got exit %d (%v), want %d", got, err, tt.wantExit)
				}
				if result.Line != "" {
					t.Errorf("got the headline %q, want none", result.Line)
				}
			})
		})
	}
}

// withOutcomes returns a plan with a single outcomeUser.
func withOutcomes(p plan.Plan) plan.Plan {
	inner := p.Workload.Users.NewExecutor
	w := *p.Workload
	w.Users.NewExecutor = func(ctx context.Context, c workload.Connection) (workload.Executor, error) {
		u, err := inner(ctx, c)
		return outcomeUser{u.(*plantest.User)}, err
	}
	p.Workload, p.Users = &w, 1
	return p
}

func TestRun_NamesTheFailedUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := newTranscript()
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond, Script: []error{nil, plantest.ErrBroken}}, load.Pacing{RampUp: 150 * time.Millisecond, Duration: time.Second, Failures: load.Failures{EndAtFirst: true}})
		p.Users = 1
		_, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err == nil {
			t.Fatal("got no error, want one")
		}
		want := `1 RUNNING
1 DBVersion:1.0
1 Beginning rampup time of 0 minutes
2 RUNNING
2 Processing 1099511627776 transactions with output suppressed...
1 Rampup complete, Taking start Transaction Count.
1 Timing test period of 0.02 in minutes
0 Error in Virtual User 2: only: broken rule
2 FINISHED FAILED
1 FINISHED FAILED`
		if got := strings.Join(seen.lines, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestRun_ReportsAFailedConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []bool{false, true} {
			seen := newTranscript()
			p := plantest.New(plantest.User{}, load.Pacing{Duration: time.Second, Test: test})
			d := *p.Database
			d.Sessions.Connect = func(context.Context, any, database.Role) (database.Session, error) { return nil, plantest.ErrLost }
			p.Database = &d
			_, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
			want := "1 RUNNING\n0 Error in Virtual User 1: connection lost\n1 FINISHED FAILED"
			if test {
				want = strings.TrimPrefix(want, "1 RUNNING\n")
			}
			if got := strings.Join(seen.lines, "\n"); got != want || job.ExitOf(err) != job.ExitConnect {
				t.Errorf("test %v: got exit %d and\n%s\nwant exit %d and\n%s", test, job.ExitOf(err), got, job.ExitConnect, want)
			}
		}
	})
}

func TestTimeProfile_HasEachUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &events{}
		p := plantest.New(plantest.User{Takes: 300 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: 3 * time.Second, Kept: load.Kept{TimeProfile: true}})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(result.PerUser) != 3 {
			t.Fatalf("got %d users, want 3", len(result.PerUser))
		}
		for u, s := range result.PerUser {
			// Each ends one every 300 ms: at 2.1 s, 2.4 s ... 4.8 s.
			if s.Kinds[0].Done != 10 || s.Elapsed != 3*time.Second {
				t.Errorf("user %d: got %d done in %v, want 10 in 3s", u, s.Kinds[0].Done, s.Elapsed)
			}
		}
		if len(result.RampUpPerUser) != 3 {
			t.Fatalf("got %d users in the ramp-up, want 3", len(result.RampUpPerUser))
		}
		for u, s := range result.RampUpPerUser {
			if s.Kinds[0].Done != 6 || s.Elapsed != 2*time.Second { // at 0.3 s ... 1.8 s
				t.Errorf("user %d: got %d done in the ramp-up of %v, want 6 in 2s", u, s.Kinds[0].Done, s.Elapsed)
			}
		}
		lines := strings.Join(seen.lines, "\n")
		if want := "RUNNING\nInitializing xtprof time profiler\nDBVersion:1.0"; !strings.HasPrefix(lines, want) {
			t.Errorf("got\n%s\nwant it to begin with\n%s", lines, want)
		}
	})
}

// Watchers that process the measurements need the headline before the post-run maintenance.
func TestHeadline_ComesBeforePostRunMaintenance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 300 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second, Kept: load.Kept{TimeProfile: true}})
		d := *p.Database
		d.Runs.Maintenance = &database.Maintenance{Do: func(_ context.Context, _ any, tell func(job.Event)) error {
			tell(job.Event{Message: "maintained"})
			return nil
		}}
		p.Database = &d
		seen := &events{}
		if _, err := (Local{}).perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(seen.all, func(e job.Event) bool { return e.Headline != nil })
		if i < 0 || len(seen.all) != i+3 || seen.all[i+1].Message != "maintained" || seen.all[i+2].State != job.UserSucceeded {
			t.Fatalf("got %+v, want a headline, the maintenance and the end last", seen.all)
		}
		if r := seen.all[i].Headline; len(r.PerUser) != p.Users || r.Summary.Kinds[0].Done == 0 {
			t.Errorf("got %+v, want the measurements, also per user", r)
		}
	})
}

func TestTimeProfile_RefusesTooManyUsers(t *testing.T) {
	p := plantest.New(plantest.User{}, load.Pacing{})
	for _, tt := range []struct {
		users  int
		rampUp string
		want   bool
	}{
		// A user with one kind takes 27 KiB for two histograms, and twice that with a ramp-up. So 1
		// GiB is enough for 39,000 users, or 19,000 with a ramp-up.
		{1000, "1s", false}, {19_000, "1s", false}, {20_000, "1s", true}, {39_000, "0", false}, {40_000, "0", true},
	} {
		_, err := plan.New(p.Pair, job.Spec{Action: job.Run, Users: tt.users, Options: option.Values{"time_profile": "true", "rampup": tt.rampUp}})
		if got := err != nil && strings.Contains(err.Error(), "time_profile"); got != tt.want {
			t.Errorf("%d users with a ramp-up of %s: got error %v, want an error: %v", tt.users, tt.rampUp, err, tt.want)
		}
	}
}
