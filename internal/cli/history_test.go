package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/report"
)

// TestHistory_FindsTheCommitThatMadeItWorse records nightly runs of two commits, of which the later one is slower.
func TestHistory_FindsTheCommitThatMadeItWorse(t *testing.T) {
	w := withJobs(t)
	nopm := 0.0
	w.does(func(context.Context, job.Spec, job.Control) (job.Result, error) {
		r := measured()
		r.Metrics = []job.Metric{{Name: "NOPM", Value: nopm, Means: "new orders a minute"}}
		return r, nil
	})
	nights := func(n int, commit string, level float64) {
		t.Helper()
		for i := range n {
			nopm = level * (1 + 0.004*float64(i%3-1))
			if code := w.run("run", "--db", "sqlite", "--users", "2", "--label", "suite=nightly", "--label", "commit="+commit); code != job.OK {
				t.Fatalf("run: got exit code %d: %s", code, &w.err)
			}
		}
	}
	wants := func(args string, code job.Exit, texts ...string) {
		t.Helper()
		got := w.run(append([]string{"history"}, strings.Fields(args)...)...)
		said := strings.Join(strings.Fields(w.out.String()+" "+w.err.String()), " ")
		for _, text := range texts {
			if got != code || !strings.Contains(said, text) {
				t.Errorf("history %s: got exit code %d, want %d, and %q in\n%s%s", args, got, code, text, &w.out, &w.err)
			}
		}
	}
	nights(12, "1f0c", 1000)
	wants("suite=nightly --fail-on-change", job.OK, "NOPM has not changed in 12 runs since ")
	nights(2, "9ab2", 950)
	wants("suite=nightly --fail-on-change", job.OK, "NOPM has not changed in 14 runs", "The newest 2 runs differ from those before them")
	nights(4, "9ab2", 950)
	wants("suite=nightly", job.OK, "NOPM is worse by 5.13 % since run ", "It changed once in 18 runs", "label commit 1f0c → 9ab2")
	wants("last --fail-on-change", job.ExitError, "history: NOPM became worse by 5.13 % with run ")
	wants("suite=nightly --fail-on-change --recent 5", job.OK, "NOPM is worse by 5.13 %")
	wants("suite=nightly --fail-on-change --least 6", job.OK, "NOPM has not changed in 18 runs")
	wants("suite=nightly --markdown", job.OK, "| ")

	page := filepath.Join(t.TempDir(), "history.html")
	wants("suite=nightly --html "+page, job.OK, "Wrote "+page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "NOPM over the runs") {
		t.Errorf("got %v, and a page of %d bytes without the chart", err, len(text))
	}
	w.run("history", "suite=nightly", "--json")
	var h report.History
	if err := json.Unmarshal(w.out.Bytes(), &h); err != nil {
		t.Fatal(err)
	}
	if len(h.Runs) != 18 || len(h.Levels) != 2 || h.Levels[0].Runs != 12 || h.Levels[1].First != h.Runs[12].ID || !h.Levels[1].Worse || *h.Levels[1].P > 0.001 {
		t.Errorf("got %+v", h)
	}
	for args, want := range map[string]string{
		"suite=none":                     "no run has the label suite=none",
		"a b":                            "name one set-up",
		"suite=nightly --least -1":       "--least: -1",
		"suite=nightly --recent 3":       "--recent has no effect without --fail-on-change",
		"suite=nightly --figure latency": `no figure "latency"`,
	} {
		if code := w.run(append([]string{"history"}, strings.Fields(args)...)...); code == job.OK || !strings.Contains(w.err.String(), want) {
			t.Errorf("history %s: got exit code %d and %q, want %q", args, code, &w.err, want)
		}
	}
}
