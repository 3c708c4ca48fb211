package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
	"sledge/internal/statistics"
)

func TestProfileText_HasATableAndAChart(t *testing.T) {
	jobs := []job.Job{
		reporttest.Figures("A1", 0, 1, 10_000), reporttest.Figures("A2", 1, 2, 19_000), reporttest.Figures("A4", 2, 4, 30_000),
		reporttest.Ended(reporttest.Figures("A5", 3, 6, 99_000), job.Invalid), reporttest.Ended(reporttest.Figures("A6", 4, 7, 0), job.Failed), reporttest.Figures("A8", 5, 8, 35_000),
	}
	reporttest.Golden(t, "profile.txt", []byte(ProfileText(jobs, 0)))
	for line := range strings.Lines(ProfileText(jobs, 60)) {
		if wide := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); wide > 60 {
			t.Errorf("on 60 columns: a line takes %d: %q", wide, line)
		}
	}
	if text := ProfileText(jobs[:1], 0); strings.Contains(text, "over active") {
		t.Errorf("one number of users: got a chart\n%s", text)
	}
	if text := ProfileText(jobs, 0); strings.Contains(text, "\x1b") {
		t.Error("got colours, which a file or a pipe cannot show")
	}
}

func TestPoints_AverageRunsWithEqualUsers(t *testing.T) {
	got := Points([]job.Job{reporttest.Figures("A", 0, 4, 200), reporttest.Figures("B", 1, 1, 50), reporttest.Figures("C", 2, 4, 100), reporttest.Ended(reporttest.Figures("D", 3, 4, 900), job.Partial)})
	want := []Point{{1, 50, 100}, {4, 150, 300}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestProfile_DescribesHowThroughputGrows(t *testing.T) {
	law := statistics.Scaling{Rate: 1000, Contention: 0.05, Coherency: 0.002}
	var runs []job.Job
	for _, users := range []int{1, 2, 4, 8, 16, 32} {
		for range 3 {
			runs = append(runs, job.Job{Status: job.Succeeded, Result: job.Result{Extent: job.Extent{Users: users}, Metrics: []job.Metric{{Name: "NOPM", Value: law.At(float64(users))}}}})
		}
	}
	text := ProfileText(runs, 0)
	if want := "By the Universal Scalability Law, 5 % of the work is done by one user at a time, and NOPM is highest with about 22 virtual users (22 to 22): about 7,"; !strings.Contains(text, want) {
		t.Errorf("got %s, want %q in it", text, want)
	}
	if text := ProfileText(runs[:15], 0); strings.Contains(text, "Scalability") {
		t.Errorf("got a law of five numbers of users: %s", text)
	}
	runs[17].Result.Metrics[0].Value, runs[16].Result.Metrics[0].Value = 100, 100
	if text := ProfileText(runs, 0); !strings.Contains(text, "does not describe how NOPM grows") {
		t.Errorf("got %s of a collapse, want that the law does not describe it", text)
	}
}
