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
func (u *user) pickFor(g *group, source int) (workload.Transaction, bool) {
	if g.plan.Kinds == nil {
		return u.Pick()
	}
	return u.Terminal.(workload.KindPicker).PickKind(g.plan.Kinds[source])
}

// startLagByKind are the delays of each kind that arrivals are of, by their source.
func (p Plan) startLagByKind() []*meter.Delays {
	var list []*meter.Delays
	for _, kind := range p.Kinds {
		list = append(list, meter.NewStartLagOf(kind))
	}
	return list
}

// kindPaces say how the run kept to the rate of each kind.
func (g *runGroup) kindPaces(m measurement) []job.KindPace {
	if g.plan.Kinds == nil {
		return nil
	}
	until := func(t time.Duration) []int64 { return g.arrivals.Split(g.arrivals.Due(t)) }
	before, due, taken := until(m.from), until(m.from+m.elapsed), g.arrivals.Split(g.claimed)
	var list []job.KindPace
	for i, kind := range g.plan.Kinds {
		list = append(list, job.KindPace{
			Kind:     g.plan.Workload.Kinds[kind].Name,
			Asked:    float64(due[i]-before[i]) / m.elapsed.Seconds(),
			Ended:    float64(g.totals.Summary.Kinds[kind].Ended()) / m.elapsed.Seconds(),
			Behind:   max(0, due[i]-taken[i]) + g.queued(func(k meter.Kind) bool { return k == kind }),
			StartLag: *latencyOf(g.totals.KindStartLag[i]),
		})
	}
	return list
}

// queued returns how many transactions, of the kinds that count, waited for a connection
// when the time was up.
func (g *runGroup) queued(counts func(meter.Kind) bool) (n int64) {
	for _, w := range g.totals.InFlight {
		if !w.Connected && counts(w.Kind) {
			n++
		}
	}
	return n
}
