package views

import (
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
	"sledge/internal/repository"
)

func TestChartsOfAJobArePagesWithItsNumbers(t *testing.T) {
	store, j := recorded(t)
	for kind, words := range map[string][]string{
		"result": {"PostgreSQL result of job " + string(j.ID), "15,824", "NOPM", "36,400"},
		"timing": {"NEWORD", "P95", "AVG", "p25"},
	} {
		page, err := JobChart(t.Context(), store, j, kind, several)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range append(words, "<!doctype html>", "<svg ", "The numbers behind it") {
			if !strings.Contains(page, w) {
				t.Errorf("%s: %q is missing in %s", kind, w, page)
			}
		}
		if strings.Contains(page, "<script") || strings.Contains(page, "src=") {
			t.Errorf("%s: the page has a script or loads a resource: %s", kind, page)
		}
	}
}

func TestTheChartOfCountsLeavesOutZerosAround(t *testing.T) {
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	half := 50.5
	past := repository.Past{Job: reporttest.Imported()}
	for i, rate := range []float64{0, 0, 35_000, 0, 36_500, 0} {
		past.Counts = append(past.Counts, job.Count{At: reporttest.Began.Add(time.Duration(10*i) * time.Second), Rate: rate})
	}
	past.Details.Metrics = []job.SystemMetric{{At: reporttest.Began, User: &half}}
	if _, err := store.Add(t.Context(), past); err != nil {
		t.Fatal(err)
	}
	page, err := JobChart(t.Context(), store, past.Job, "tcount", several)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(page, "<tbody>")
	table, _, _ = strings.Cut(table, "</tbody>")
	if got := strings.Count(table, "<tr>"); got != 3 || !strings.Contains(table, "35,000") || !strings.Contains(table, "0:20") {
		t.Errorf("got %d rows in %s, want those from 35,000 to 36,500", got, table)
	}
	_, err = JobChart(t.Context(), store, past.Job, "metrics", several)
	if want := "Chart for jobid " + string(past.Job.ID) + " not available, Jobid has insufficient metrics data"; err == nil || err.Error() != want {
		t.Errorf("one reading: got %v, want %s", err, want)
	}
}

func TestProfilesAreDrawnOverVirtualUsers(t *testing.T) {
	runs := func(orders ...float64) (list []job.Job) {
		for i, n := range orders {
			list = append(list, reporttest.Figures("A", i, 1<<i, n))
		}
		return list
	}
	page, err := ProfileChart(5, runs(1000, 1900))
	if err != nil || !strings.Contains(page, "1,900") || !strings.Contains(page, "3,800") || !strings.Contains(page, "active virtual users") {
		t.Errorf("got %s, %v", page, err)
	}
	if _, err := ProfileChart(5, runs(1000)); err == nil || err.Error() != "Error: Not enough data for performance profile chart type" {
		t.Errorf("one number of users: got %v", err)
	}
	page, err = ProfilesChart(5, 6, runs(1000, 1900), runs(1100, 2100, 9100))
	if err != nil || !strings.Contains(page, "5: NOPM") || !strings.Contains(page, "6: TPM") || !strings.Contains(page, "2,100") || strings.Contains(page, "9,100") {
		t.Errorf("got %s, %v, want both profiles at 1 and 2 virtual users", page, err)
	}
	if _, err := ProfilesChart(5, 6, runs(1000), runs(0)[:0]); err == nil || err.Error() != "Error: Not enough overlapping Active VU points to compare" {
		t.Errorf("no common number of users: got %v", err)
	}
}
