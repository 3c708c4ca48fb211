package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

// The server's report covers only the measured time, and does not change what the users measure.
func TestServerReport_CoversTheMeasuredTime(t *testing.T) {
	waiting := func(d time.Duration) func(context.Context, <-chan struct{}) (string, error) {
		return func(ctx context.Context, _ <-chan struct{}) (string, error) {
			select {
			case <-time.After(d):
				return "line 1\nline 2", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
	}
	const measured = 10 * time.Second
	for _, tt := range []struct {
		name     string
		make     func(ctx context.Context, over <-chan struct{}) (string, error)
		leftOut  string
		stop     time.Duration // time of a stop request; 0 is never
		want     job.ServerReport
		wantTook time.Duration
	}{
		{"of part of the measured time", waiting(4 * time.Second), "", 0, job.ServerReport{Text: "line 1\nline 2", Seconds: 4}, 12 * time.Second},
		{
			"that is the difference between start and end",
			func(_ context.Context, over <-chan struct{}) (string, error) {
				<-over
				time.Sleep(5 * time.Second)
				return "a difference", nil
			},
			"", 0,
			job.ServerReport{Text: "a difference", Seconds: 15},
			17 * time.Second,
		},
		{"that fails", func(context.Context, <-chan struct{}) (string, error) { return "", errors.New("no right") }, "", 0, job.ServerReport{Error: "no right"}, 12 * time.Second},
		{"that is empty", func(context.Context, <-chan struct{}) (string, error) { return "", nil }, "", 0, job.ServerReport{Error: "the server returned an empty report"}, 12 * time.Second},
		{"that Sledge leaves out", nil, "no time", 0, job.ServerReport{Error: "no time"}, 12 * time.Second},
		{"of a run that is stopped while it measures", waiting(8 * time.Second), "", 5 * time.Second, job.ServerReport{Error: "the run ended early", Seconds: 3}, 5 * time.Second},
		{"of a run that is stopped before it measures", waiting(8 * time.Second), "", time.Second, job.ServerReport{Error: "the run ended before the measured time"}, time.Second},
		{"that never ends", waiting(time.Hour), "", 0, job.ServerReport{Error: "the server had not written it 1m0s after the measured time", Seconds: 70}, 72 * time.Second},
		{"that is stopped after the run", waiting(time.Hour), "", 20 * time.Second, job.ServerReport{Error: "it was stopped while the server wrote it", Seconds: 18}, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{RampUp: 2 * time.Second, Duration: measured})
				p.Database.Runs.Report = func(_ any, of time.Duration) *database.Report {
					if of != measured {
						t.Errorf("the report got a measured time of %v, want %v", of, measured)
					}
					return &database.Report{Title: "STATUS", LeftOut: tt.leftOut, Make: func(ctx context.Context, s database.Session, over <-chan struct{}) (string, error) {
						if s == nil {
							t.Error("the report got no session")
						}
						return tt.make(ctx, over)
					}}
				}
				var stop chan struct{}
				if tt.stop > 0 {
					stop = make(chan struct{})
					time.AfterFunc(tt.stop, func() { close(stop) })
				}
				began := time.Now()
				seen := &events{}
				result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{Watchers: []job.Watcher{seen}}, stop)
				if err != nil && (tt.stop == 0 || tt.stop > measured) {
					t.Fatal(err)
				}
				if took := time.Since(began).Truncate(time.Second); took != tt.wantTook {
					t.Errorf("took %v, want %v", took, tt.wantTook)
				}
				tt.want.Title = "STATUS"
				got := result.ServerReport
				if got == nil {
					t.Fatal("there is no report")
				}
				got.Seconds = math.Floor(got.Seconds)
				if *got != tt.want {
					t.Errorf("got %+v, want %+v", *got, tt.want)
				}
				if result.Elapsed > measured.Seconds() {
					t.Errorf("measured for %v s, want no more than %v", result.Elapsed, measured)
				}
				if told := slices.Contains(seen.lines, "---STATUS OUTPUT---"); told != (tt.want.Text != "") {
					t.Errorf("the console says %q", seen.lines)
				}
			})
		})
	}
}
