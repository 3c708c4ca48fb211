package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/threshold"
)

// judge compares the measurements of a run with its thresholds. Only a valid run that ran to its
// end can pass. A run that would otherwise succeed and misses a threshold has the status Missed.
func judge(p plan.Plan, result *job.Result, err error) error {
	var missed []string
	for _, t := range p.Thresholds {
		verdict := job.Threshold{Threshold: t.String(), Name: t.Name, Bound: t.Bound, Unit: string(t.Unit)}
		value, unmeasured := measuredBy(t, result)
		switch {
		case unmeasured != nil:
			verdict.Text = fmt.Sprintf("%s was not measured: %v", t.Name, unmeasured)
		default:
			verdict.Measured = &value
			verdict.Passed = !t.Exceeded(value)
			verdict.Text = t.Judge(t.Name, value)
		}
		if err != nil && verdict.Passed {
			verdict.Passed = false
			verdict.Text += ", but " + cmp.Or(unfit[result.Status], "the run did not succeed")
		}
		if !verdict.Passed {
			missed = append(missed, verdict.Text)
		}
		result.Thresholds = append(result.Thresholds, verdict)
	}
	if err != nil || len(missed) == 0 {
		return err
	}
	result.Status = job.Missed
	err = fmt.Errorf("%s: %s", missedThresholds(len(missed), len(p.Thresholds)), strings.Join(missed, "; "))
	result.Reason = err.Error()
	return job.WithExit(job.ExitMissed, err)
}

// unfit is why a run with a given status passes no threshold.
var unfit = map[job.Status]string{
	job.Invalid: "the run is not valid",
	job.Partial: "the run was stopped early",
	job.Failed:  "the run failed",
}

func missedThresholds(missed, of int) string {
	if of == 1 {
		return "the run missed its threshold"
	}
	return fmt.Sprintf("the run missed %d of %d thresholds", missed, of)
}

// measuredBy returns the value that a threshold compares, in its unit, or an error if it was not
// measured.
func measuredBy(t plan.Threshold, result *job.Result) (float64, error) {
	if t.Figure != "" {
		value, measured := result.Metric(t.Figure)
		if !measured {
			return 0, errors.New("the run has no such figure")
		}
		return value, nil
	}
	switch t.Metric {
	case threshold.Stall:
		longest := result.LongestGap
		for _, g := range result.Groups {
			if gap := g.LongestGap; gap != nil && (t.Group == "" || t.Group == g.Name) && (longest == nil || gap.Seconds > longest.Seconds) {
				longest = gap
			}
		}
		if longest == nil {
			return 0, errors.New("nothing was measured")
		}
		return longest.Seconds, nil
	case threshold.Pace:
		reached, asked := result.PaceOf(t.Group)
		if !asked {
			return 0, errors.New("nothing was measured")
		}
		return reached, nil
	}
	sum := result.Summary
	if len(sum.Kinds) == 0 {
		return 0, errors.New("nothing was measured")
	}
	if t.Kinds != nil {
		sum.Kinds = make([]meter.Tally, len(t.Kinds))
		for i, kind := range t.Kinds {
			sum.Kinds[i] = result.Summary.Kinds[kind]
		}
	}
	tally := sum.All()
	share := func(n int64) (float64, error) {
		switch {
		case t.Unit != threshold.Percent:
			return float64(n), nil
		case tally.Ended() == 0:
			return 0, errors.New("no such transaction ended")
		}
		return 100 * float64(n) / float64(tally.Ended()), nil
	}
	switch t.Metric {
	case threshold.Failed:
		return share(tally.Failures())
	case threshold.Retried:
		return share(tally.Retried)
	case threshold.PerTime:
		if sum.Elapsed <= 0 {
			return 0, errors.New("nothing was measured")
		}
		return float64(tally.Done+tally.RolledBack) / sum.Elapsed.Seconds(), nil
	}
	if tally.Done == 0 {
		return 0, errors.New("no such transaction was done")
	}
	const nanosecond = 1e-9
	switch t.Metric {
	case threshold.Least:
		return nanosecond * float64(tally.Response.Min()), nil
	case threshold.Mean:
		return nanosecond * tally.Response.Mean(), nil
	case threshold.Most:
		return nanosecond * float64(tally.Response.Max()), nil
	}
	percent, _ := threshold.Percentile(t.Metric)
	return nanosecond * float64(tally.Response.ValueAtQuantile(percent)), nil
}
