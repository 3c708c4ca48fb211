package job_test

import (
	"strings"
	"testing"

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
		if len(text) > job.LongestText || len(text) < job.LongestText-20 || !strings.HasPrefix(text, "ä") || !strings.HasSuffix(text, "ä (truncated)") {
			t.Errorf("%s: got %d bytes that end in %q", name, len(text), text[len(text)-20:])
		}
	}
	if r.Plans[0].Lines[0].Text != long {
		t.Error("a line of a plan was truncated, and must be kept")
	}
}
