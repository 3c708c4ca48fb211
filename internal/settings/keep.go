package settings

import (
	"fmt"
	"maps"
	"slices"

	"sledge/internal/job"
	"sledge/internal/option"
)

// Given returns the settings of an order that s.Given contains, to keep them: a database, a workload,
// and options by their own names. A secret among them is an error.
func (o Order) Given(s Sources) (option.Values, error) {
	for _, name := range slices.Sorted(maps.Keys(o.Spec.Secrets.Reveal())) {
		if o.Origins[name] == s.GivenBy {
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("option %s: a set-up is saved without passwords: leave it out, or save a connection with the password and name the connection", o.Spec.Names.Of(name)))
		}
	}
	kept := option.Values{keyDatabase: o.Spec.Database, keyWorkload: o.Spec.Workload}
	for _, name := range []string{keyConnection, keyUsers, keySeed, keyLabels} {
		if text, given := s.Given[name]; given {
			kept[name] = text
		}
	}
	for _, d := range o.Plan.Options() {
		if o.Origins[d.Name] == s.GivenBy {
			kept[d.Name] = s.Given[o.Spec.Names.Of(d.Name)]
		}
	}
	return kept, nil
}
