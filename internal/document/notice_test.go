package document

import (
	"testing"

	"sledge/internal/job"
)

func TestNewNotice_HasFiguresOnlyIfTheyMayBeUsed(t *testing.T) {
	tests := []struct {
		status                job.Status
		event, title, verdict string
	}{
		{job.Succeeded, NoticeEnded, "Run succeeded: 62,211 NOPM (PostgreSQL, TPROC-C)", ""},
		{job.Partial, NoticeEnded, "Run was stopped: 62,211 NOPM (PostgreSQL, TPROC-C)", "PARTIAL: the run was stopped early"},
		{job.Missed, NoticeMissed, "Run missed a threshold: 62,211 NOPM (PostgreSQL, TPROC-C)", "MISSED A THRESHOLD: the figures are valid"},
		{job.Invalid, NoticeFailed, "Run is not valid (PostgreSQL, TPROC-C)", "INVALID: do not use these figures"},
		{job.Failed, NoticeFailed, "Run failed (PostgreSQL, TPROC-C)", "FAILED: do not use these figures"},
		{job.Killed, NoticeFailed, "Run was killed (PostgreSQL, TPROC-C)", "KILLED: do not use these figures"},
	}
	for _, test := range tests {
		j := job.Job{Status: test.status, Spec: job.Spec{Action: job.Run, Database: "postgresql", Workload: "tprocc"}}
		j.Result.Status, j.Result.Metrics = test.status, []job.Metric{{Name: "NOPM", Value: 62211.4}}
		n := NewNotice(j, "PostgreSQL", "TPROC-C")
		if n.Event != test.event || n.Title != test.title || (n.Job.Headline == "") != (test.event == NoticeFailed) || n.Job.Verdict != test.verdict {
			t.Errorf("%s: got %s, %q, %q, want %s, %q, %q", test.status, n.Event, n.Title, n.Job.Verdict, test.event, test.title, test.verdict)
		}
	}
	if len(tests) != len(job.Statuses)-1 {
		t.Errorf("there are %d tests, want one of each status except running", len(tests))
	}
}
