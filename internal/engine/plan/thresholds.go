package plan

import (
	"cmp"
	"fmt"
	"slices"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/threshold"
	"sledge/internal/workload"
)

// Threshold is a threshold whose names were looked up.
type Threshold struct {
	threshold.Threshold
	Name   string       // name for people: "p99 of new order"
	Figure string       // name of the headline figure; "" for a metric
	Group  string       // group whose transactions it compares; "" for all groups
	Kinds  []meter.Kind // nil for all kinds
}

// WithThresholds returns the plan with the thresholds of its run. It returns an error for a
// threshold on a metric that the run does not measure.
func (p Plan) WithThresholds() (Plan, error) {
	p.Thresholds = nil
	if len(p.Pacing.FailIf) == 0 || p.Spec.Action != job.Run {
		return p, nil
	}
	text, _ := p.Pacing.FailIf.MarshalText() // cannot fail
	wrong := func(err error) error { return p.Spec.Names.Wrong("fail_if", string(text), "%w", err) }
	if p.Pacing.Test {
		return p, wrong(fmt.Errorf("a test measures nothing: set it to none, or %s to timed", p.Spec.Names.Of("driver")))
	}
	for _, t := range p.Pacing.FailIf {
		bound, err := bindThreshold(p, t)
		if err != nil {
			return p, wrong(err)
		}
		p.Thresholds = append(p.Thresholds, bound)
	}
	return p, nil
}

func bindThreshold(p Plan, t threshold.Threshold) (Threshold, error) {
	b := Threshold{Threshold: t, Name: t.Metric}
	words := threshold.Vocabulary{Finite: p.Pacing.Finite}
	all := p.Groups()
	var groups []string
	var figures []workload.Figure
	for _, g := range all {
		words.Kinds, figures = append(words.Kinds, g.Workload.KindNames()...), append(figures, g.Workload.Score.Figures...)
		groups = append(groups, g.Spec.Group)
	}
	if len(all) == 1 {
		groups = nil
	}
	for _, f := range figures {
		words.Figures = append(words.Figures, f.Name)
	}
	title := all.Title()
	wrong := func(format string, args ...any) (Threshold, error) {
		return b, fmt.Errorf("%q: "+format, append([]any{t.String()}, args...)...)
	}
	metric := t.Metric
	if figure, is := words.Figure(t.Kind + "." + t.Metric); is && t.Kind != "" { // figure of a group
		t.Kind, metric = "", figure
	}
	if i := slices.IndexFunc(groups, func(g string) bool { return option.SameName(g, t.Kind) }); i >= 0 {
		b.Group, b.Name, b.Kinds = groups[i], t.Metric+" of "+groups[i], all.kindsOf(i)
	}
	if t.Kind != "" && b.Group == "" {
		kind, known := all.kindNamed(t.Kind)
		switch {
		case !known:
			return wrong("%q is not a kind of transaction of %s%s", t.Kind, title, words.Suggest(t.Kind, append(words.KindWords(), groups...)))
		case !threshold.OfKinds(t.Metric):
			return wrong("there is no %s of one kind of transaction%s", t.Metric, words.Suggest("", nil))
		case all.weightOf(kind) == 0:
			return wrong("the run executes no %s: leave out the threshold, or change option %s", words.Kinds[kind], p.Spec.Names.Of("mix"))
		}
		b.Kinds, b.Name = []meter.Kind{kind}, t.Metric+" of "+words.Kinds[kind]
	}
	if threshold.UnitsOf(metric) == nil {
		name, is := words.Figure(metric)
		if !is {
			return wrong("%q is not a metric of %s%s", metric, title, words.Suggest(metric, words.MetricWords()))
		}
		b.Name, b.Figure = name, name
		unit := threshold.Number
		if figures[slices.Index(words.Figures, name)].Unit == "s" {
			unit = threshold.Seconds
		}
		return b, t.CheckUnit(unit)
	}
	switch {
	case (t.Metric == threshold.Stall || t.Metric == threshold.Pace) && p.Pacing.Finite:
		return wrong("a run of %s, which ends when its work is done, has no %s%s", title, t.Metric, words.Suggest("", nil))
	case t.Metric == threshold.Stall && !all.haveStalls(b.Group):
		return wrong("transactions of %s may take any time, so it has no %s%s", cmp.Or(b.Group, title), t.Metric, words.Suggest("", nil))
	case t.Metric == threshold.Pace && !all.havePace(b.Group):
		return wrong("only a run with a rate, or with keying and thinking times, has a pace: set %s, or compare a figure such as %s",
			p.Spec.Names.Of("rate"), threshold.Word(words.Figures[0]))
	}
	return b, nil
}

// kindNamed returns the kind with the given name among all groups.
func (l Groups) kindNamed(name string) (kind meter.Kind, known bool) {
	all := workload.Workload{}
	for _, g := range l {
		all.Kinds = append(all.Kinds, g.Workload.Kinds...)
	}
	return all.KindNamed(name)
}

// kindsOf lists the kinds of a group, as numbers among all groups.
func (l Groups) kindsOf(group int) (kinds []meter.Kind) {
	first := len(l[:group].KindNames())
	for k := range l[group].Workload.Kinds {
		kinds = append(kinds, meter.Kind(first+k))
	}
	return kinds
}

// weightOf returns the weight of a kind within its group, or 1 if kinds have no weights.
func (l Groups) weightOf(kind meter.Kind) float64 {
	for _, g := range l {
		if n := len(g.Workload.Kinds); int(kind) >= n {
			kind -= meter.Kind(n)
			continue
		}
		if g.Workload.Users.Mix == nil {
			return 1
		}
		return g.Workload.Users.Mix.Weights(g.Settings, g.Kinds)[kind]
	}
	return 0
}

// havePace reports whether a group has a rate or pauses, or any group if the name is "".
func (l Groups) havePace(group string) bool {
	return slices.ContainsFunc(l, func(g Plan) bool {
		_, pause := g.Pauses()
		return (pause || g.Pacing.Rate.Arrivals != nil) && (group == "" || g.Spec.Group == group)
	})
}

// haveStalls reports whether a group has stalls, or any group if the name is "".
func (l Groups) haveStalls(group string) bool {
	return slices.ContainsFunc(l, func(g Plan) bool { return !g.AnyLength && (group == "" || g.Spec.Group == group) })
}
