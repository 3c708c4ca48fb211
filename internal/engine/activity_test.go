package engine

import (
	"context"
	"math"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// listed returns a way to list sessions.
func listed(list func(context.Context, database.Session) ([]database.ActiveSession, error)) []database.Activity {
	return []database.Activity{{List: list}}
}

// Two sessions compute all the time, two wait for a row that an idle session holds, and the server's own process writes. Values in statements are left out, and so are idle sessions.
func TestRun_SamplesActiveSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: 10 * time.Second, Kept: load.Kept{Samples: true}})
		p.Database.Runs.Waits = database.MustParseWaits("lock row lock\nwrite IO/*\nidle Activity/*")
		var n atomic.Int64
		p.Server.Activity = listed(func(context.Context, database.Session) ([]database.ActiveSession, error) {
			n.Add(1)
			return []database.ActiveSession{
				{ID: "1", Statement: "SELECT neword(1, 'private')", Inner: "UPDATE d SET a = 5"},
				{ID: "2", Statement: "SELECT neword(22, 'it''s')", Inner: "UPDATE d SET a = 6"},
				{ID: "3", Wait: "updating", Statement: "UPDATE t SET a = $1"},
				{ID: "6", Wait: "updating", Statement: "UPDATE t SET a = $1"},
				{ID: "4", Background: true, Program: "checkpointer", Wait: "IO/DataFileWrite"},
				{ID: "5", Background: true, Program: "walwriter", Wait: "Activity/WalWriterMain"},
			}, nil
		})
		p.Server.Activity[0].Blocked = func(context.Context, database.Session) ([]database.Blocked, error) {
			return []database.Blocked{{ID: "3", Blocker: "6"}, {ID: "3", Blocker: "9", Program: "psql"}, {ID: "6", Blocker: "9", Program: "psql"}}, nil
		}
		var ticks int
		sums := map[string]float64{}
		seen := plantest.Watcher(func(e job.Event) {
			for _, one := range e.Samples {
				if one.Name == job.ActiveSessions || one.Name == job.ActiveBackground {
					sums[one.Name+" "+one.Labels["class"]] += one.Value
					if one.Labels["class"] == "cpu" {
						ticks++
					}
				}
			}
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := result.Activity
		if a == nil || a.Samples < 48 || a.Samples > 51 || a.Missed != 0 || a.Error != "" || len(result.Unobserved) > 0 {
			t.Fatalf("got %+v, %+v, want about 50 samples in 10 s", a, result.Unobserved)
		}
		rows := map[string]float64{}
		for _, s := range a.Shares {
			rows[s.Class+" "+s.Background+" "+s.Statement+" "+s.Inner+" "+s.Blocker] = float64(s.Sessions) / float64(a.Samples)
		}
		for name, want := range map[string]float64{"cpu  SELECT neword(?, ?) UPDATE d SET a = ? ": 2, "lock  UPDATE t SET a = ?  psql": 2, "write checkpointer   ": 1} {
			if math.Abs(rows[name]-want) > 0.05 {
				t.Errorf("%s: got %g sessions, want %g, in %v", name, rows[name], want, rows)
			}
		}
		if len(rows) != 3 || a.Mean("") != 4 || a.Mean("cpu") != 2 {
			t.Errorf("got %v and %g sessions of clients", rows, a.Mean(""))
		}
		if ticks < 12 || math.Abs(sums["active sessions cpu"]/float64(ticks)-2) > 0.01 || math.Abs(sums["active background processes write"]/float64(ticks)-1) > 0.01 {
			t.Errorf("got the series %v in %d seconds", sums, ticks)
		}
	})
}

// Of three users, the server always shows one to compute and one to wait for a row, and never the third, which is on its
// way. So each of these takes a third of the time of a transaction. A session of another program stays apart.
func TestRun_DividesTheTimeOfTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 90 * time.Millisecond}, load.Pacing{RampUp: time.Second, Duration: 10 * time.Second, Kept: load.Kept{Samples: true}})
		p.Database.Runs.Waits = database.MustParseWaits("lock Lock/*")
		var names atomic.Int64
		p.Server.Name = func(context.Context, database.Session) (string, error) {
			return "process " + strconv.FormatInt(names.Add(1), 10), nil
		}
		p.Server.Activity = listed(func(context.Context, database.Session) ([]database.ActiveSession, error) {
			now := time.Now().Add(time.Hour) // by the server's clock
			list := []database.ActiveSession{{ID: "1"}, {ID: "2", Wait: "Lock/tuple"}, {ID: "777", Program: "psql"}}
			for i := range list {
				list[i].Asked, list[i].Now, list[i].Since = now, now, now
			}
			return list, nil
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := result.Activity
		if a == nil || a.Joined == nil || a.Joined.Certain != 2*int64(a.Samples) || a.Joined.Foreign != int64(a.Samples) || a.Joined.Likely+a.Joined.None != 0 || len(a.Transactions) != 1 {
			t.Fatalf("got %+v, want two sessions of users and one of another program in each sample", a)
		}
		for _, s := range a.Shares {
			if own := s.Program == ""; own != (s.Transaction == "only") || !own && s.Program != "psql" {
				t.Errorf("got %+v, want the transaction of users only", s)
			}
		}
		parts, sum := map[string]float64{}, 0.0
		for _, p := range a.Transactions[0].Parts {
			parts[p.Name] = p.Milliseconds
			sum += p.Milliseconds
		}
		for _, name := range []string{"cpu", "lock", "network"} {
			if math.Abs(parts[name]-30) > 0.1 {
				t.Errorf("%s: got %.2f ms, want 30 of 90", name, parts[name])
			}
		}
		if one := a.Transactions[0]; one.Kind != "only" || math.Abs(one.Response-90) > 0.1 || math.Abs(sum-one.Response) > 1e-6 {
			t.Errorf("got %+v, want parts that add up to 90 ms", one)
		}
	})
}

// The server counts most queries of an observer as transactions. They are not in the result, and the counts agree.
func TestRun_LeavesItsObserversOutOfTheCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: 40 * time.Second, Kept: load.Kept{Samples: true}})
		count := p.Server.Counter
		var queries atomic.Int64
		p.Server.CounterOwn = 1
		p.Server.Background = func(ctx context.Context, s database.Session) ([]database.BackgroundWork, error) {
			for range 3 {
				if _, err := s.Query(ctx, "", 0); err != nil {
					return nil, err
				}
				queries.Add(1)
			}
			return nil, nil
		}
		p.Server.Counter = func(ctx context.Context, s database.Session) (int64, error) {
			n, err := count(ctx, s)
			return n + queries.Load()*9/10, err
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a := result.CounterAgreement; queries.Load() < 100 || a == nil || !a.Holds || a.Client < 1190 || a.Server != a.Client {
			t.Errorf("got %+v after %d queries of an observer, want the users' transactions alone", a, queries.Load())
		}
	})
}

// A server that answers too late leaves a gap. Nothing is interpolated, and the run goes on.
func TestRun_CountsMissedSamplesOfActivity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second, Kept: load.Kept{Samples: true}})
		began := time.Now()
		p.Server.Activity = listed(func(ctx context.Context, _ database.Session) ([]database.ActiveSession, error) {
			if passed := time.Since(began); passed > 3*time.Second && passed < 6*time.Second {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []database.ActiveSession{{ID: "1"}}, nil
		})
		var at []time.Duration
		seen := plantest.Watcher(func(e job.Event) {
			for _, one := range e.Samples {
				if one.Name == job.ActiveSessions {
					at = append(at, e.At.Sub(began).Round(time.Second))
				}
			}
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, nil)
		a := result.Activity
		if err != nil || a == nil || a.Samples+a.Missed < 48 || a.Samples+a.Missed > 52 || a.Missed < 14 || a.Missed > 18 || a.Mean("cpu") != 1 {
			t.Fatalf("got %+v, %v, want about 16 of 50 samples missed", a, err)
		}
		for i := 1; i < len(at); i++ {
			if at[i] > 4*time.Second && at[i] < 6*time.Second {
				t.Errorf("got a value at %v, while the server did not answer", at[i])
			}
		}
	})
}

// A server that refuses the query, such as an old release, is not asked again and again, and the result says why.
func TestRun_EndsSamplesThatAServerRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second, Kept: load.Kept{Samples: true}})
		asked := 0
		p.Server.Activity = listed(func(context.Context, database.Session) ([]database.ActiveSession, error) {
			asked++
			return nil, plantest.ErrBroken
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil || asked != 5 || result.Activity != nil || len(result.Unobserved) != 1 || result.Unobserved[0].Error != plantest.ErrBroken.Error() {
			t.Errorf("got %+v, %+v, %v after %d requests, want 5 and their error", result.Activity, result.Unobserved, err, asked)
		}
	})
}

func TestRun_HasNoActivityWithoutThePrivilege(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 3 * time.Second, Kept: load.Kept{Samples: true}})
		p.Server.Activity = listed(func(context.Context, database.Session) ([]database.ActiveSession, error) {
			return nil, plantest.ErrDenied
		})
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil || result.Activity != nil || len(result.Unobserved) > 0 {
			t.Errorf("got %+v, %+v, %v, want no activity", result.Activity, result.Unobserved, err)
		}
	})
}

// The first way is refused, the second is not possible, and the third is taken. The result says what the best would tell.
func TestRun_SamplesActivityByTheBestPossibleWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 5 * time.Second, Kept: load.Kept{Samples: true}})
		list := func(err error) func(context.Context, database.Session) ([]database.ActiveSession, error) {
			return func(context.Context, database.Session) ([]database.ActiveSession, error) {
				return []database.ActiveSession{{ID: "1"}}, err
			}
		}
		lacking := func(why string) func(context.Context, database.Session) (string, error) {
			return func(context.Context, database.Session) (string, error) { return why, nil }
		}
		p.Server.Activity = []database.Activity{
			{List: list(plantest.ErrDenied)},
			{List: list(nil), Lacking: lacking("it is off")},
			{List: list(nil), Every: time.Second, Undivided: "lists show nothing"},
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		a := result.Activity
		if err != nil || a == nil || a.Samples < 4 || a.Samples > 6 || a.Coarse != plantest.ErrDenied.Error() {
			t.Errorf("got %+v, %v, want about 5 samples, and why they are coarse", a, err)
		}
		p.Server.Activity = p.Server.Activity[1:2]
		result, err = Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil || result.Activity != nil || len(result.Unobserved) != 1 || result.Unobserved[0].Error != "it is off" {
			t.Errorf("got %+v, %+v, %v, want no activity and the reason", result.Activity, result.Unobserved, err)
		}
	})
}
