package plan

import (
	"slices"
)

// CreateStatements returns the statements that make the workload's tables.
func (j Job) CreateStatements() ([]string, error) {
	return j.Schema.Create(j.Workload.Schema.Tables(j.Settings, j.Spec.Seed))
}

// CompleteStatements returns the statements that a build runs once the rows are
// there, in an order that works for one session: indexes and statistics table by
// table, then what concerns them all.
func (j Job) CompleteStatements() ([]string, error) {
	var names []string
	each := func(steps ...string) {
		for _, t := range j.Workload.Schema.Tables(j.Settings, j.Spec.Seed) {
			for _, step := range steps {
				names = append(names, step+"."+t.Name)
			}
		}
	}
	each(WhenLoaded...)
	for _, step := range AfterLoad {
		names = append(names, step)
		if !slices.Contains(WhenLoaded, step) {
			each(step)
		}
	}
	var all []string
	for _, name := range names {
		statements, err := j.Schema.Step(name)
		if err != nil {
			return nil, err
		}
		all = append(all, statements...)
	}
	return all, nil
}

// WhenLoaded names the steps that a build runs of each table as soon as it is loaded.
var WhenLoaded = []string{"indexes", "finish"}

// AfterLoad names the steps that a build runs after all tables were loaded: of each what
// concerns them all, and then what each table has of it.
var AfterLoad = []string{"indexes", "references", "routines", "finish"}
