package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/job"
	"sledge/internal/loop"
	"sledge/internal/option"
)

// A driver that blocks its thread, as Db2's does, leaves an event loop to one user.
func TestRun_IsInvalidIfUsersDidNothing(t *testing.T) {
	if !loop.Supported() {
		t.Skip("there are no event loops on this system")
	}
	p := fakePlan(fakeUser{takes: time.Millisecond}, load.Pacing{Duration: 1200 * time.Millisecond, Loops: 1})
	p.Users = 6
	result, err := Local{}.perform(t.Context(), job.Run, p, &feed{}, nil)
	const want = "5 of 6 virtual users did no transaction; other users of their event loop did not let them run: set option loops to 0"
	if err == nil || !strings.Contains(err.Error(), want) || result.Status != job.Invalid || job.ExitOf(err) != job.ExitInvalid {
		t.Errorf("got status %s and %v, want an invalid run: %s", result.Status, err, want)
	}
	if got := result.Idle; got == nil || *got != (job.IdleUsers{Idle: 5, Of: 6}) {
		t.Errorf("got %+v, want 5 of 6", got)
	}
}

func TestRun_HasNoIdleUsersWhereUsersHaveNothingToDoYet(t *testing.T) {
	rate := func(p *Plan) {
		options := load.NewOptions()
		if err := option.Bind(nil, option.Values{"rate": "0.2/s", "arrivals": "constant", "rampup": "0"}, options); err != nil {
			t.Fatal(err)
		}
		p.Pacing.Arrivals = options.Pacing().Arrivals
	}
	for _, tt := range []struct {
		name   string
		user   fakeUser
		pacing load.Pacing
		change func(*Plan)
	}{
		{name: "keying times are longer than the run", user: fakeUser{keying: time.Hour}},
		{name: "arrivals are fewer than users", change: rate},
		{name: "users start later than the run ends", pacing: load.Pacing{UserDelay: time.Minute}},
		{name: "users share a connection that one of them has", user: fakeUser{takes: 9 * time.Second}, pacing: load.Pacing{Connections: 1}},
		{name: "users have done their iterations", pacing: load.Pacing{MaxIterations: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.user.takes == 0 {
					tt.user.takes = 100 * time.Millisecond
				}
				tt.pacing.Duration = 10 * time.Second
				p := fakePlan(tt.user, tt.pacing)
				p.Users = 20
				if tt.change != nil {
					tt.change(&p)
				}
				result, _ := Local{}.perform(t.Context(), job.Run, p, &feed{}, nil)
				if got := result.Idle; got == nil || *got != (job.IdleUsers{Of: 20}) {
					t.Errorf("got %+v, want none of 20: %s", got, result.Reason)
				}
			})
		})
	}
}
