package engine

import (
	"slices"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
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
	if w.Mixed == nil {
		return p, wrong("the kinds of %s cannot be chosen one by one: give one rate for all", w.Title)
	}
	if option := w.Mixed(p.Settings); option != "" {
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

// pickFor decides on a transaction for an arrival of a source: of its kind, or of the
// terminal's choice.
//
// It is part of the hot path.
func (u *user) pickFor(g *generator, source int) (workload.Transaction, bool) {
	if g.plan.Kinds == nil {
		return u.Pick()
	}
	return u.Terminal.(workload.KindPicker).PickKind(g.plan.Kinds[source])
}

// latenessByKind are the delays of each kind that arrivals are of, by their source.
func (p Plan) latenessByKind() []*meter.Delays {
	var list []*meter.Delays
	for _, kind := range p.Kinds {
		list = append(list, meter.NewLatenessOf(kind))
	}
	return list
}

// kindPaces say how the run kept to the rate of each kind. Taken is how many arrivals users
// had taken when the time was up.
func (r *run) kindPaces(m measurement) []job.KindPace {
	if r.plan.Kinds == nil {
		return nil
	}
	until := func(t time.Time) []int64 { return r.arrivals.Split(r.arrivals.Due(t.Sub(r.began))) }
	before, due, taken := until(m.started), until(m.timeUp), r.arrivals.Split(m.taken)
	var list []job.KindPace
	for i, kind := range r.plan.Kinds {
		late := r.kindLateness[i]
		list = append(list, job.KindPace{
			Kind:   r.plan.Workload.Kinds[kind].Name,
			Asked:  float64(due[i]-before[i]) / m.elapsed.Seconds(),
			Ended:  float64(m.summary.Kinds[kind].Ended()) / m.elapsed.Seconds(),
			Behind: max(0, due[i]-taken[i]) + m.queued(func(k meter.Kind) bool { return k == kind }),

			LateMean: late.Mean().Seconds(), LateP99: late.Percentile(99).Seconds(), LateMax: late.Percentile(100).Seconds(),
		})
	}
	return list
}
