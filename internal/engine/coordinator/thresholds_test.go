package coordinator

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// judgedBy returns a plan with thresholds. The workload has a second kind of transaction with a
// weight of 0.
func judgedBy(t *testing.T, text string) (plan.Plan, error) {
	t.Helper()
	p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 10 * time.Second})
	w := *p.Workload
	w.Kinds = append(w.Kinds, workload.Kind{Name: "other one"})
	w.Score.Figures = []workload.Figure{{Name: "NOPM"}, {Name: "mean, first test", Unit: "s"}}
	w.Users.Mix = &workload.Mix{Weights: func(any, []meter.Kind) []float64 { return []float64{1, 0} }}
	p.Workload, p.Spec.Action = &w, job.Run
	if err := p.Pacing.FailIf.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return p.WithThresholds()
}

func TestThresholds_RefuseUnmeasuredMetrics(t *testing.T) {
	for text, want := range map[string]string{
		"tpm<1":                  `option fail_if: "tpm<1": "tpm" is not a metric of Fake. The metrics are`,
		"npom<1":                 "did you mean nopm?",
		"elapsed>1s":             "The metrics are p99, min, mean, max, failed, retried, rate, stall, pace, nopm, mean_first_test, and other percentiles",
		"onyl.p99>1s":            `"onyl" is not a kind of transaction of Fake: did you mean only?`,
		"only.stall>1s":          "there is no stall of one kind of transaction",
		"other_one.p99>1s":       "the run executes no other one",
		"nopm<5%":                "nopm is a number",
		"mean_first_test>5":      "mean_first_test is a time",
		"pace<95%":               "only a run with a rate, or with keying and thinking times, has a pace",
		"p99>1s,only.rate<1/s":   "",
		"Mean first test>1s":     "",
		"mean>1s,only.mean>10ms": "",
	} {
		_, err := judgedBy(t, text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestThresholds_OfFiniteRuns(t *testing.T) {
	p := plantest.New(plantest.User{}, load.Pacing{Finite: true})
	p.Spec.Action = job.Run
	for _, text := range []string{"stall>2s", "pace<95%"} {
		if err := p.Pacing.FailIf.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		_, err := p.WithThresholds()
		if err == nil || !strings.Contains(err.Error(), "ends when its work is done, has no ") || !strings.Contains(err.Error(), "retried, rate") || strings.Contains(err.Error(), ", stall") {
			t.Errorf("%s: got %v, want the metrics of such a run", text, err)
		}
	}
}

func TestThresholds_JudgeAResult(t *testing.T) {
	sum := meter.NewSummary(2)
	sum.Elapsed = 10 * time.Second
	stripe := meter.NewStripe()
	for i := range 100 {
		r := meter.Record{Response: time.Duration(i+1) * time.Millisecond, Service: time.Millisecond}
		if i >= 98 {
			r.Outcome, r.Class = meter.Failed, meter.Deadlock
		}
		stripe.Record(r)
	}
	meter.Take([]*meter.Stripe{stripe}, nil, &sum)
	for _, tt := range []struct {
		text   string
		before job.Status // of the run without thresholds
		passed []bool
		want   job.Status
		exit   job.Exit
		says   string
	}{
		{"p50>49.5ms,max>100ms,only.min>1.1ms", "", []bool{true, true, true}, "", job.OK, ""},
		{"p50>48ms", "", []bool{false}, job.Missed, job.ExitMissed, "the run missed its threshold: p50 is 49"},
		{"failed>1%,failed>2,only.failed>1", "", []bool{false, true, false}, job.Missed, job.ExitMissed, "missed 2 of 3 thresholds: failed is 2 % instead of at most 1 %; failed of only is 2 instead of at most 1"},
		{"rate<9.9/s", "", []bool{false}, job.Missed, job.ExitMissed, "rate is 9.8/s instead of at least 9.9/s"},
		{"nopm<50000", "", []bool{false}, job.Missed, job.ExitMissed, "NOPM is 41,203 instead of at least 50,000"},
		{"stall>2s", "", []bool{true}, "", job.OK, ""},
		// A metric without a measurement does not pass, and neither does an invalid run.
		{"mean_first_test>100s", "", []bool{false}, job.Missed, job.ExitMissed, "was not measured"},
		{"max>1h", job.Invalid, []bool{false}, job.Invalid, job.ExitInvalid, "but the run is not valid"},
		{"max>1h", job.Partial, []bool{false}, job.Partial, job.ExitStopped, "but the run was stopped early"},
	} {
		p, err := judgedBy(t, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		result := job.Result{Status: tt.before, Measured: job.Measured{Summary: sum}, Course: job.Course{LongestGap: &job.Gap{Seconds: 1.5}}, Metrics: []job.Metric{{Name: "NOPM", Value: 41_203.7}}}
		var failure error
		if tt.before != "" {
			failure = job.WithExit(tt.exit, plantest.ErrBroken)
		}
		failure = judge(p, &result, failure)
		var passed []bool
		texts := ""
		for _, v := range result.Thresholds {
			passed, texts = append(passed, v.Passed), texts+v.Text
		}
		if failure != nil {
			texts += failure.Error()
		}
		if !slices.Equal(passed, tt.passed) || result.Status != tt.want || job.ExitOf(failure) != tt.exit || !strings.Contains(texts, tt.says) {
			t.Errorf("%s: got %+v, %q, %v, want %+v", tt.text, result.Thresholds, result.Status, failure, tt)
		}
	}
}
