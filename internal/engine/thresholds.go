package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/threshold"
	"sledge/internal/workload"
)

// boundThreshold is a threshold whose names were looked up.
type boundThreshold struct {
	threshold.Threshold
	name   string       // as people read it: "p99 of new order"
	figure string       // name of the headline figure, or "" of a metric
	group  string       // that it is about, of several; "" for all
	kinds  []meter.Kind // nil for all kinds
}

// withThresholds returns the plan with the thresholds of its run. It refuses those of which
// such a run measures nothing. Those of several groups are about the run as a whole.
func (p Plan) withThresholds() (Plan, error) {
	p.thresholds = nil
	if len(p.Pacing.FailIf) == 0 || p.Spec.Action != job.Run {
		return p, nil
	}
	text, _ := p.Pacing.FailIf.MarshalText() // cannot fail
	wrong := func(err error) error { return p.Spec.Names.Wrong("fail_if", string(text), "%w", err) }
	if p.Pacing.Test {
		return p, wrong(fmt.Errorf("a test measures nothing: set it to none, or %s to timed", p.Spec.Names.Of("driver")))
	}
	for _, t := range p.Pacing.FailIf {
		bound, err := p.bindThreshold(t)
		if err != nil {
			return p, wrong(err)
		}
		p.thresholds = append(p.thresholds, bound)
	}
	return p, nil
}

func (p Plan) bindThreshold(t threshold.Threshold) (boundThreshold, error) {
	b := boundThreshold{Threshold: t, name: t.Metric}
	words := threshold.Vocabulary{Finite: p.Pacing.Finite}
	var groups []string
	var figures []workload.Figure
	for _, g := range p.plans() {
		words.Kinds, figures = append(words.Kinds, g.Workload.KindNames()...), append(figures, g.Workload.Figures...)
		groups = append(groups, g.group)
	}
	if len(p.others) == 0 {
		groups = nil
	}
	for _, f := range figures {
		words.Figures = append(words.Figures, f.Name)
	}
	title := p.Title()
	wrong := func(format string, args ...any) (boundThreshold, error) {
		return b, fmt.Errorf("%q: "+format, append([]any{t.String()}, args...)...)
	}
	metric := t.Metric
	if figure, is := words.Figure(t.Kind + "." + t.Metric); is && t.Kind != "" { // of a group
		t.Kind, metric = "", figure
	}
	if i := slices.IndexFunc(groups, func(g string) bool { return option.SameName(g, t.Kind) }); i >= 0 {
		b.group, b.name, b.kinds = groups[i], t.Metric+" of "+groups[i], p.kindsOf(i)
	}
	if t.Kind != "" && b.group == "" {
		kind, known := p.kindNamed(t.Kind)
		switch {
		case !known:
			return wrong("%q is not a kind of transaction of %s%s", t.Kind, title, words.Suggest(t.Kind, append(words.KindWords(), groups...)))
		case !threshold.OfKinds(t.Metric):
			return wrong("there is no %s of one kind of transaction%s", t.Metric, words.Suggest("", nil))
		case p.asksFor(kind) == 0:
			return wrong("the run is asked for no %s: leave it out, or change the %s", words.Kinds[kind], p.Spec.Names.Of("mix"))
		}
		b.kinds, b.name = []meter.Kind{kind}, t.Metric+" of "+words.Kinds[kind]
	}
	if threshold.UnitsOf(metric) == nil {
		name, is := words.Figure(metric)
		if !is {
			return wrong("%q is not a metric of %s%s", metric, title, words.Suggest(metric, words.MetricWords()))
		}
		b.name, b.figure = name, name
		unit := threshold.Number
		if figures[slices.Index(words.Figures, name)].Unit == "s" {
			unit = threshold.Seconds
		}
		return b, t.CheckUnit(unit)
	}
	switch _, pause := p.pauses(); {
	case (t.Metric == threshold.Stall || t.Metric == threshold.Pace) && p.Pacing.Finite:
		return wrong("a run of %s, which ends when its work is done, has no %s%s", title, t.Metric, words.Suggest("", nil))
	case t.Metric == threshold.Stall && !p.stalls(b.group):
		return wrong("transactions of %s may take any time, so it has no %s%s", cmp.Or(b.group, title), t.Metric, words.Suggest("", nil))
	case t.Metric == threshold.Pace && p.Pacing.Arrivals == nil && !pause:
		return wrong("only a run with a rate, or with keying and thinking times, has a pace: set %s, or compare a figure such as %s",
			p.Spec.Names.Of("rate"), threshold.Word(words.Figures[0]))
	}
	return b, nil
}

// kindNamed returns the kind of a name among those of all groups.
func (p Plan) kindNamed(name string) (kind meter.Kind, known bool) {
	all := workload.Workload{}
	for _, g := range p.plans() {
		all.Kinds = append(all.Kinds, g.Workload.Kinds...)
	}
	return all.KindNamed(name)
}

// kindsOf lists the kinds of a group among those of all.
func (p Plan) kindsOf(group int) (kinds []meter.Kind) {
	first := 0
	for i, g := range p.plans() {
		if i == group {
			for k := range g.Workload.Kinds {
				kinds = append(kinds, meter.Kind(first+k))
			}
		}
		first += len(g.Workload.Kinds)
	}
	return kinds
}

// asksFor returns the weight of a kind among those of its group; 1 where kinds have no weights.
func (p Plan) asksFor(kind meter.Kind) float64 {
	for _, g := range p.plans() {
		if n := len(g.Workload.Kinds); int(kind) >= n {
			kind -= meter.Kind(n)
			continue
		}
		if g.Workload.Weights == nil {
			return 1
		}
		return g.Workload.Weights(g.Settings, g.Kinds)[kind]
	}
	return 0
}

// stalls reports whether a group has stalls, or with "" any group.
func (p Plan) stalls(group string) bool {
	return slices.ContainsFunc(p.plans(), func(g Plan) bool { return !g.anyLength && (group == "" || g.group == group) })
}

// judge compares what a run measured with its thresholds. Only a run that is valid and ran
// to its end can pass. A run that would have succeeded otherwise, and missed one, is Missed.
func judge(p Plan, result *job.Result, err error) error {
	var missed []string
	for _, t := range p.thresholds {
		verdict := job.Threshold{Threshold: t.String(), Name: t.name, Bound: t.Bound, Unit: string(t.Unit)}
		value, unmeasured := measuredBy(t, result)
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
func measuredBy(t boundThreshold, result *job.Result) (float64, error) {
	if t.figure != "" {
		value, measured := result.Metric(t.figure)
		if !measured {
			return 0, errors.New("the run has no such figure")
		}
		return value, nil
	}
	switch t.Metric {
	case threshold.Stall:
		longest := result.LongestGap
		for _, g := range result.Groups {
			if gap := g.LongestGap; gap != nil && (t.group == "" || t.group == g.Name) && (longest == nil || gap.Seconds > longest.Seconds) {
				longest = gap
			}
		}
		if longest == nil {
			return 0, errors.New("nothing was measured")
		}
		return longest.Seconds, nil
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
	if t.kinds != nil {
		sum.Kinds = make([]meter.Tally, len(t.kinds))
		for i, kind := range t.kinds {
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
