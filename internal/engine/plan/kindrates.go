package plan

import (
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
)

// withKinds returns the plan with the kinds of transaction that arrivals are of, where each
// kind has a rate of its own.
func (p Plan) withKinds() (Plan, error) {
	w, names := p.Workload, p.Spec.Names
	p.Kinds = nil
	wrong := func(format string, args ...any) error {
		return names.Wrong("rate", p.Spec.Options["rate"], format, args...)
	}
	if p.Pacing.Kinds == nil || p.Spec.Action != job.Run {
		return p, nil
	}
	if w.Users.Mix == nil {
		return p, wrong("the kinds of %s cannot be chosen one by one: give one rate for all", w.Title)
	}
	if option := w.Users.Mix.Option(p.Settings); option != "" {
		return p, names.Wrong(option, p.Spec.Options[option], "%s says how many of each kind there are, so it would have no effect: set one of the two", names.Of("rate"))
	}
	for _, name := range p.Pacing.Kinds {
		kind, known := w.KindNamed(name)
		if !known {
			return p, wrong("%q is not one of %s", name, strings.Join(w.KindNames(), ", "))
		}
		if slices.Contains(p.Kinds, kind) {
			return p, wrong("it has two rates for %s: leave out one", w.Kinds[kind].Name)
		}
		p.Kinds = append(p.Kinds, kind)
	}
	return p, nil
}

// StartLagByKind are the delays of each kind that arrivals are of, by their source.
func (p Plan) StartLagByKind() []*meter.Delays {
	var list []*meter.Delays
	for _, kind := range p.Kinds {
		list = append(list, meter.NewStartLagOf(kind))
	}
	return list
}
