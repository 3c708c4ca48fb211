//go:build browser

package browser

import (
	"os"
	"strconv"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
)

// TestLivePage_IsSteady follows a run for minutes, whose seconds come from this process, so that no load takes the
// processor from the browser.
func TestLivePage_IsSteady(t *testing.T) {
	minutes, err := strconv.Atoi(os.Getenv("SLEDGE_BROWSER_MINUTES"))
	if err != nil {
		t.Skip("make bench-live does this")
	}
	s := newSite(t)
	store, err := repository.Open(s.repository())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spec := job.Spec{Database: "postgresql", Workload: "tprocc"}
	hours, err := repositorytest.Day(t.Context(), store, spec, 10_800)
	if err != nil {
		t.Fatal(err)
	}
	const already = 120 // seconds
	run, err := repositorytest.Begin(t.Context(), store, spec, time.Now().Add(-already*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	run.Seconds(already)
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-tick.C:
				run.Seconds(1)
			case <-over:
				tick.Stop()
				return
			}
		}
	}()
	s.start()
	within(t, time.Duration(minutes+3)*time.Minute, "lasting.mjs", facts{"link": s.link, "address": s.address, "live": run.ID(), "hours": hours, "minutes": minutes}, nil)
	close(over)
	<-stopped
	if err := run.End(t.Context(), job.Result{Status: job.Succeeded}); err != nil {
		t.Error(err)
	}
}
