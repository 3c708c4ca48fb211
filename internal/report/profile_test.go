package report

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"sledge/internal/job"
	"sledge/internal/report/reporttest"
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
