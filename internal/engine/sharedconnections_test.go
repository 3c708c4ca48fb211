package engine

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/option"
)

// sharing returns a plan of three users that share connections. A transaction takes 100 ms; the
// measured time is 10 s.
func sharing(connections int) plan.Plan {
	return plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second, Connections: load.Connections{Shared: connections}})
}

// Three users that share one connection do as many transactions as one user, and each waits for the
// other two.
func TestSharedConnections_UsersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := Local{}.perform(t.Context(), job.Run, sharing(1), &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := result.Summary.All()
		if all.Done < 99 || all.Done > 101 {
			t.Errorf("got %d transactions of 100 ms in 10 s over one connection, want 100", all.Done)
		}
		s := result.Sharing
		if s == nil || s.Connections != 1 || math.Abs(float64(s.Wait.P50)-200) > 1 || math.Abs(float64(s.Wait.Max)-200) > 1 {
			t.Errorf("got %+v, want one connection and waits of 200 ms", s)
		}
		service, response := time.Duration(all.Service.ValueAtQuantile(100)), time.Duration(all.Response.ValueAtQuantile(100))
		if (service-100*time.Millisecond).Abs() > time.Millisecond || (response-300*time.Millisecond).Abs() > time.Millisecond {
			t.Errorf("the slowest took %s, and %s with the wait; want 100ms and 300ms", service, response)
		}
		if result.Users != 3 {
			t.Errorf("got %d users, want 3", result.Users)
		}
	})
}

func TestSharedConnections_NoWaitIfThereAreEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, err := Local{}.perform(t.Context(), job.Run, sharing(3), &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := result.Summary.All()
		if s := result.Sharing; all.Done < 297 || all.Done > 303 || s == nil || s.Wait.Max > 1e-3 {
			t.Errorf("got %d transactions and %+v, want 300 without a wait", all.Done, s)
		}
	})
}

// A user that waits for a connection at the end of the measured time begins no transaction.
func TestSharedConnections_EndOfRunEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plantest.New(plantest.User{Takes: 3 * time.Second}, load.Pacing{Duration: 10 * time.Second, Connections: load.Connections{Shared: 1}})
		began := time.Now()
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 13*time.Second {
			t.Errorf("the run took %s, want at most 13 s: no transaction begins after 10 s", took)
		}
		if done := result.Summary.All().Done; done != 3 {
			t.Errorf("got %d transactions of 3 s in 10 s, want 3", done)
		}
	})
}

func TestSharedConnections_RefusesMoreThanUsers(t *testing.T) {
	pair := plantest.New(plantest.User{}, load.Pacing{}).Pair
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"connections": "4"}, "option connections: 4 is more than the 3 virtual users that share them"},
		{option.Values{"connections": "1", "driver": "test"}, "option connections: a test shows what each user does"},
		{option.Values{"connections": "3"}, ""},
	} {
		_, err := plan.New(pair, job.Spec{Action: job.Run, Users: 3, Options: tt.values})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%v: got %v, want %q", tt.values, err, tt.want)
		}
	}
}
