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

// inSteps returns a plan whose number of users follows the option steps during 30 measured seconds.
// A transaction takes 100 ms.
func inSteps(t *testing.T, users int, values option.Values) (plan.Plan, error) {
	t.Helper()
	p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{})
	options := load.NewOptions()
	values["rampup"], values["duration"], values["loops"] = "5s", "30s", "0"
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	p.Pacing, p.Spec.Action, p.Spec.Options = options.Pacing(), job.Run, values
	return p.WithUsers(users)
}

func TestSteps_UsersJoinAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := inSteps(t, 1, option.Values{"steps": "0s=2,10s=6,20s=1"})
		if err != nil {
			t.Fatal(err)
		}
		var told []int
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{plantest.Watcher(func(e job.Event) {
			if e.Step != nil && e.Step.Name == job.StepUsers {
				told = append(told, e.Step.Users)
			}
		})}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result.Users != 6 || len(result.Steps) != 3 {
			t.Fatalf("got %d users in %d steps, want 6 in 3", result.Users, len(result.Steps))
		}
		var all int64
		for i, want := range []struct{ users, from, done int }{{2, 0, 200}, {6, 10, 600}, {1, 20, 100}} {
			s := result.Steps[i]
			done := s.Measured.Kinds[0].Done
			all += done
			if s.Users != want.users || math.Abs(s.From-float64(want.from)) > 0.1 || math.Abs(s.Elapsed-10) > 0.1 {
				t.Errorf("step %d: got %d users from %.2f s for %.2f s, want %d from %d s for 10 s", i, s.Users, s.From, s.Elapsed, want.users, want.from)
			}
			// A user finishes its transaction before it leaves.
			if d := int(done) - want.done; d < -6 || d > 6 {
				t.Errorf("step %d: got %d transactions, want %d", i, done, want.done)
			}
		}
		if all != result.Summary.All().Done {
			t.Errorf("the steps have %d transactions and the run has %d", all, result.Summary.All().Done)
		}
		if len(told) != 2 || told[0] != 6 || told[1] != 1 {
			t.Errorf("got events of steps with %v users, want 6 and 1", told)
		}
	})
}

// Users come back with the same terminals. Users that begin a step together start with the delay
// between them. A time without users is not a stall.
func TestSteps_UsersComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := inSteps(t, 1, option.Values{"steps": "0s=3,10s=0,20s=3", "user_delay": "1s"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result.Users != 3 {
			t.Errorf("got %d users, want the same 3 again", result.Users)
		}
		for i, want := range []int{300, 0, 270} { // in the last step, one user starts 1 s late and one 2 s
			if got := int(result.Steps[i].Measured.Ended()); got < want-4 || got > want+4 || want == 0 && got > 3 {
				t.Errorf("step %d: got %d transactions, want %d", i, got, want)
			}
		}
		if result.Standstills != 0 {
			t.Errorf("got %d stalls of %v, want none while no user works", result.Standstills, result.LongestGap)
		}
	})
}

func TestSteps_SetTheNumberOfUsers(t *testing.T) {
	p, err := inSteps(t, 4, option.Values{"steps": "+2@10s/10s"})
	if err != nil || p.Users != 6 || p.Spec.Users != 4 {
		t.Errorf("got %d users for %d requested users, %v; want 6 for 4", p.Users, p.Spec.Users, err)
	}
	if p, err = inSteps(t, 1, option.Values{"steps": "2,8"}); err != nil || p.Users != 8 || p.Spec.Users != 8 {
		t.Errorf("got %d users, %v; want 8, the maximum of the steps", p.Users, err)
	}
	if _, err = inSteps(t, 4, option.Values{"steps": "2,8"}); err == nil || !strings.Contains(err.Error(), "option steps: it sets the number of virtual users itself, at most 8, and 4 were requested") {
		t.Errorf("got %v, want an error about two numbers of users", err)
	}
}
