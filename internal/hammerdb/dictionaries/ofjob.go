package dictionaries

import (
	"cmp"
	"slices"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/names"
	"sledge/internal/job"
	"sledge/internal/option"
)

// OfJob returns all settings of a job, including defaults, in the sections of HammerDB's
// dictionaries, without secrets. It returns nothing if the database or the workload is unknown.
func OfJob(c catalog.Catalog, spec job.Spec) []job.Section {
	pair, err := c.Known().PairOf(spec)
	if err != nil {
		return nil
	}
	keyOf := func(o option.Description) string { return names.Key(pair.Database.Name, pair.Workload.Name, o.Name) }
	rest := names.Rest(pair.Database.Name, pair.Workload.Name)
	options := pair.Options()
	slices.SortStableFunc(options, func(a, b option.Description) int {
		return cmp.Compare(slices.Index(rest, keyOf(a)), slices.Index(rest, keyOf(b)))
	})
	var sections []job.Section
	for _, o := range options {
		if o.Secret || o.Unlisted {
			continue
		}
		name := cmp.Or(o.Section, names.BenchmarkOf(pair.Workload).Section)
		i := slices.IndexFunc(sections, func(s job.Section) bool { return s.Name == name })
		if i < 0 {
			i = len(sections)
			sections = append(sections, job.Section{Name: name})
		}
		value, given := spec.Options[o.Name]
		if !given {
			value = o.Default
		}
		sections[i].Settings = append(sections[i].Settings, job.Setting{Name: keyOf(o), Value: value})
	}
	return sections
}
