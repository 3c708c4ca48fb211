package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/threshold"
)

// boundThreshold is a threshold whose names were looked up.
type boundThreshold struct {
	threshold.Threshold
	name   string      // as people read it: "p99 of new order"
	figure string      // name of the headline figure, or "" of a metric
	kind   *meter.Kind // nil for all kinds
}

// bindThresholds looks up the names in the thresholds of a run, and refuses those of which
// such a run measures nothing.
func (p Plan) bindThresholds() ([]boundThreshold, error) {
	if len(p.Pacing.FailIf) == 0 || p.Spec.Action != job.Run {
		return nil, nil
	}
	text, _ := p.Pacing.FailIf.MarshalText() // cannot fail
	wrong := func(err error) error { return p.Spec.Names.Wrong("fail_if", string(text), "%w", err) }
	if p.Pacing.Test {
		return nil, wrong(fmt.Errorf("a test measures nothing: set it to none, or %s to timed", p.Spec.Names.Of("driver")))
	}
	var list []boundThreshold
	for _, t := range p.Pacing.FailIf {
		bound, err := p.bindThreshold(t)
		if err != nil {
			return nil, wrong(err)
		}
		list = append(list, bound)
	}
	return list, nil
}

func (p Plan) bindThreshold(t threshold.Threshold) (boundThreshold, error) {
	w := p.Workload
	b := boundThreshold{Threshold: t, name: t.Metric}
	words := threshold.Vocabulary{Kinds: w.KindNames(), Finite: p.Pacing.Finite}
	for _, f := range w.Figures {
		words.Figures = append(words.Figures, f.Name)
	}
	wrong := func(format string, args ...any) (boundThreshold, error) {
		return b, fmt.Errorf("%q: "+format, append([]any{t.String()}, args...)...)
	}
	if t.Kind != "" {
		kind, known := w.KindNamed(t.Kind)
		switch {
		case !known:
			return wrong("%q is not a kind of transaction of %s%s", t.Kind, w.Title, words.Suggest(t.Kind, words.KindWords()))
		case !threshold.OfKinds(t.Metric):
			return wrong("there is no %s of one kind of transaction%s", t.Metric, words.Suggest("", nil))
		case w.Weights != nil && w.Weights(p.Settings, p.Kinds)[kind] == 0:
			return wrong("the run is asked for no %s: leave it out, or change the %s", w.Kinds[kind].Name, p.Spec.Names.Of("mix"))
		}
		b.kind, b.name = &kind, t.Metric+" of "+w.Kinds[kind].Name
	}
	if threshold.UnitsOf(t.Metric) == nil {
		name, is := words.Figure(t.Metric)
		if !is {
			return wrong("%q is not a metric of %s%s", t.Metric, w.Title, words.Suggest(t.Metric, words.MetricWords()))
		}
		b.name, b.figure = name, name
		unit := threshold.Number
		if w.Figures[slices.Index(words.Figures, name)].Unit == "s" {
			unit = threshold.Seconds
		}
		return b, t.CheckUnit(unit)
	}
	switch _, pause := p.pauses(); {
	case (t.Metric == threshold.Stall || t.Metric == threshold.Pace) && p.Pacing.Finite:
		return wrong("a run of %s, which ends when its work is done, has no %s%s", w.Title, t.Metric, words.Suggest("", nil))
	case t.Metric == threshold.Pace && p.Pacing.Arrivals == nil && !pause:
		return wrong("only a run with a rate, or with keying and thinking times, has a pace: set %s, or compare a figure such as %s",
			p.Spec.Names.Of("rate"), threshold.Word(words.Figures[0]))
	}
	return b, nil
}

// judge compares what a run measured with its thresholds. Only a run that is valid and ran
// to its end can pass. A run that would have succeeded otherwise, and missed one, is Missed.
func (p Plan) judge(result *job.Result, err error) error {
	var missed []string
	for _, t := range p.thresholds {
		verdict := job.Threshold{Threshold: t.String(), Name: t.name, Bound: t.Bound, Unit: string(t.Unit)}
		value, unmeasured := t.value(result)
		switch {
		case unmeasured != nil:
			verdict.Text = fmt.Sprintf("%s was not measured: %v", t.name, unmeasured)
		default:
			verdict.Measured = &value
			verdict.Passed = !t.Exceeded(value)
			verdict.Text = t.Judge(t.name, value)
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
	err = fmt.Errorf("%s: %s", missedThresholds(len(missed), len(p.thresholds)), strings.Join(missed, "; "))
	result.Reason = err.Error()
	return job.WithExit(job.ExitMissed, err)
}

// unfit says why a run of a status passes no threshold.
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

// value is what a threshold is about, in its unit; or why that was not measured.
func (t boundThreshold) value(result *job.Result) (float64, error) {
	if t.figure != "" {
		value, measured := result.Metric(t.figure)
		if !measured {
			return 0, errors.New("the run has no such figure")
		}
		return value, nil
	}
	switch t.Metric {
	case threshold.Stall:
		if result.LongestGap == nil {
			return 0, errors.New("nothing was measured")
		}
		return result.LongestGap.Seconds, nil
	case threshold.Pace:
		switch {
		case result.Pace != nil:
			return result.Pace.Share(), nil
		case result.Keyed != nil:
			return result.Keyed.Reached, nil
		}
		return 0, errors.New("nothing was measured")
	}
	sum := result.Summary
	if len(sum.Kinds) == 0 {
		return 0, errors.New("nothing was measured")
	}
	tally := sum.All()
	if t.kind != nil {
		tally = sum.Kinds[*t.kind]
	}
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
