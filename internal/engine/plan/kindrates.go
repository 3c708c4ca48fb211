package plan

import (
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// kindsOfRate returns the kinds of transaction of a run's arrivals if each kind has its own rate.
func kindsOfRate(p Plan) (kinds []meter.Kind, err error) {
	w, names := p.Workload, p.Spec.Names
	wrong := func(format string, args ...any) ([]meter.Kind, error) {
		return nil, names.Wrong("rate", p.Spec.Options["rate"], format, args...)
	}
	if p.Pacing.Rate.Kinds == nil || p.Spec.Action != job.Run {
		return nil, nil
	}
	if w.Users.Mix == nil {
		return wrong("the kinds of %s cannot be chosen one by one: give one rate for all", w.Title)
	}
	if option := w.Users.Mix.Option(p.Settings); option != "" {
		return nil, names.Wrong(option, p.Spec.Options[option], "%s says how many of each kind there are, so it would have no effect: set one of the two", names.Of("rate"))
	}
	own := workload.Workload{} // without the name of a group
	for _, k := range w.Kinds {
		own.Kinds = append(own.Kinds, workload.Kind{Name: strings.TrimPrefix(k.Name, p.Spec.Group+".")})
	}
	for _, name := range p.Pacing.Rate.Kinds {
		kind, known := own.KindNamed(name)
		if !known {
			return wrong("%q is not one of %s", name, strings.Join(own.KindNames(), ", "))
		}
		if slices.Contains(kinds, kind) {
			return wrong("it has two rates for %s: leave out one", w.Kinds[kind].Name)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}
