package report

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
)

// nightly returns runs of 24 nights. The server was updated before the ninth, and a commit before the 18th made it slower.
func nightly() (runs []Measured) {
	for n := range 24 {
		level, server, commit := 50_000.0, "17.2", "1f0c"
		if n >= 8 {
			level, server = 53_000, "17.3"
		}
		if n >= 17 {
			level, commit = 46_000, "9ab2"
		}
		j := job.Job{
			ID: job.ID(fmt.Sprintf("%04X54479A03E26313333333", 0x6000+n)), Begun: time.Date(2026, 3, 2+n, 1, 0, 0, 0, time.UTC), Status: job.Succeeded,
			Spec:   job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 16, Labels: map[string]string{"suite": "nightly", "commit": commit}},
			Facts:  &job.Facts{Server: server},
			Result: job.Result{Status: job.Succeeded, Metrics: []job.Metric{{Name: "NOPM", Value: level * (1 + 0.006*float64((n*7)%5-2))}}},
		}
		if n == 11 {
			j.Status = job.Failed
		}
		runs = append(runs, Measured{Job: j, Summary: reporttest.Measured()})
	}
	return runs
}

func TestHistory_HasLevelsAndWhatChangedWithThem(t *testing.T) {
	h, err := NewHistory("suite=nightly", nightly(), HistoryTest{}, unset)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := h.Text(&text, View{Width: 100}); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "history.txt", text.Bytes())
	if len(h.Levels) != 3 || len(h.Left) != 1 || h.Levels[1].Worse || !h.Levels[2].Worse {
		t.Errorf("got %+v", h)
	}
	slower, err := NewHistory("suite=nightly", nightly(), HistoryTest{Figure: "response p99"}, unset)
	if err != nil || len(slower.Levels) != 1 || !slower.Lower {
		t.Errorf("got %+v and %v, want no change of equal response times", slower, err)
	}
}
