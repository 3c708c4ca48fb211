package plan

import (
	"slices"
)

// CreateStatements returns the statements that create the workload's tables.
func (j Job) CreateStatements() ([]string, error) {
	return j.Schema.Create(j.Workload.Schema.Tables(j.Settings, j.Spec.Seed))
}

// CompleteStatements returns the statements that a build executes after loading, in an order that
// works for one session: indexes and statistics table by table, then statements for all tables.
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

// WhenLoaded lists the steps that a build executes for each table as soon as it is loaded.
var WhenLoaded = []string{"indexes", "finish"}

// AfterLoad lists the steps that a build executes after all tables are loaded. For each step, the
// statements for all tables come first, then those for each table.
var AfterLoad = []string{"indexes", "references", "routines", "finish"}
