package report

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestJUnit_PassesNothingThatIsNotValid(t *testing.T) {
	passed, missed := job.Threshold{Threshold: "p99>50ms", Passed: true, Text: "p99 is 43 ms (at most 50 ms)"}, job.Threshold{Threshold: "nopm<5", Text: "NOPM is 4 instead of at least 5"}
	run := func(status job.Status, thresholds ...job.Threshold) job.Job {
		return job.Job{ID: "1", Spec: job.Spec{Action: job.Run}, Status: status, Reason: "a <reason> with \x01", Result: job.Result{Demand: job.Demand{Thresholds: thresholds}}}
	}
	for _, tt := range []struct {
		name                    string
		runs                    []job.Job
		failure                 error
		tests, failures, errors int
		says                    string
	}{
		{"passes", []job.Job{run(job.Succeeded, passed)}, nil, 2, 0, 0, `name="p99&gt;50ms"`},
		{"misses", []job.Job{run(job.Missed, passed, missed)}, errors.New("missed"), 3, 1, 0, "NOPM is 4 instead of at least 5"},
		{"is invalid", []job.Job{run(job.Invalid, missed)}, errors.New("invalid"), 2, 0, 2, "a &lt;reason&gt; with"},
		{"is killed", []job.Job{run(job.Killed)}, errors.New("killed"), 1, 0, 1, `type="killed"`},
		{"did not begin", nil, errors.New("no server"), 1, 0, 1, "no server"},
		{"was not recorded", []job.Job{run(job.Succeeded)}, errors.New("disk full"), 2, 0, 1, "disk full"},
		{"two runs", []job.Job{run(job.Succeeded, passed), run(job.Missed, missed)}, errors.New("missed"), 4, 1, 0, ""},
	} {
		var b strings.Builder
		if err := JUnit(&b, tt.runs, tt.failure); err != nil {
			t.Fatal(err)
		}
		var got junitReport
		if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Errorf("%s: it is not XML: %v", tt.name, err)
		}
		if got.Tests != tt.tests || got.Failures != tt.failures || got.Errors != tt.errors || !strings.Contains(b.String(), tt.says) || !strings.HasPrefix(b.String(), JUnitHead) {
			t.Errorf("%s: got %d tests, %d failures, %d errors, want %+v in %s", tt.name, got.Tests, got.Failures, got.Errors, tt, &b)
		}
	}
}
