package job_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"sledge/internal/job"
)

// A server may send texts of any length. Events and results truncate them, except plans.
func TestLimit_CutsTextsOfServers(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	e := job.Event{
		Message: long, Trouble: &job.Trouble{Error: long, Broken: &job.Finding{Rows: [][]string{{long}}}},
		Failure: &job.Failure{Message: long}, Facts: &job.Facts{Server: long, ServerSettings: map[string]string{"version": long}},
		Span: &job.Span{Message: long}, Step: &job.Step{Why: long},
	}
	e.Limit()
	r := job.Result{Reason: long, Queries: job.Queries{Explained: &job.Explained{Why: long}, Plans: []job.QueryPlan{{Error: long, Lines: []job.PlanLine{{Text: long}}}}}}
	r.Limit()
	for name, text := range map[string]string{
		"message": e.Message, "trouble": e.Trouble.Error, "finding": e.Trouble.Broken.Rows[0][0], "failure": e.Failure.Message, "version": e.Facts.Server,
		"setting": e.Facts.ServerSettings["version"], "span": e.Span.Message, "step": e.Step.Why,
		"reason": r.Reason, "why there is no plan": r.Plans[0].Error, "why plans are missing": r.Explained.Why,
	} {
		if len(text) > job.LongestText || len(text) < job.LongestText-20 || !strings.HasPrefix(text, "ä") || !strings.HasSuffix(text, "ä… 2,044 KiB more") {
			t.Errorf("%s: got %d bytes that end in %q", name, len(text), text[len(text)-20:])
		}
	}
	if r.Plans[0].Lines[0].Text != long {
		t.Error("a line of a plan was truncated, and must be kept")
	}
}

// A text is cut on its way several times: in the session, in an event that adds words, and in a list.
func TestCut_CountsTheWholeRest(t *testing.T) {
	server := strings.Repeat("x", 20_000<<10)
	entered := job.Cut(server, job.LongestText-512)
	for name, tt := range map[string]struct {
		text    string
		longest int
		want    string
	}{
		"short":             {"xxx", 3, "xxx"},
		"in bytes":          {strings.Repeat("x", 400), 300, strings.Repeat("x", 276) + "… 124 bytes more"},
		"once":              {server, job.LongestText, strings.Repeat("x", 4072) + "… 19,996 KiB more"},
		"with words around": {"connect: " + entered + ": check the port", job.LongestText, "connect: " + entered + ": check the port"},
		"again in a list":   {"connect: " + entered + ": check the port", 300, "connect: " + strings.Repeat("x", 267) + "… 20,000 KiB more"},
		"within the mark":   {entered, len(entered) - 3, strings.Repeat("x", 3552) + "… 19,997 KiB more"},
		"a forged rest":     {"… 99,999,999,999 KiB more" + strings.Repeat("x", 400), 300, "… 99,999,999,999 KiB more" + strings.Repeat("x", 249) + "… 151 bytes more"},
	} {
		got := job.Cut(tt.text, tt.longest)
		if got != tt.want {
			t.Errorf("%s: got %d bytes, %.40q to %q, want %d, to %q", name, len(got), got, got[max(0, len(got)-40):], len(tt.want), tt.want[max(0, len(tt.want)-40):])
		}
	}
}

func TestCut_KeepsCharactersWhole(t *testing.T) {
	for longest := 30; longest < 40; longest++ {
		if got := job.Cut(strings.Repeat("€", 100), longest); len(got) > longest || strings.ContainsRune(got, utf8.RuneError) {
			t.Errorf("at most %d bytes: got %q", longest, got)
		}
	}
}
