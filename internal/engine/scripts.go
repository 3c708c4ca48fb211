package engine

// CreateStatements returns the statements that make the workload's tables.
func (p Plan) CreateStatements() ([]string, error) {
	return p.Schema.Create(p.Workload.Tables(p.Settings, p.Seed))
}

// CompleteStatements returns the statements that a build runs once the rows are
// there, in an order that works for one session: indexes and statistics table by
// table, then what concerns them all.
func (p Plan) CompleteStatements() ([]string, error) {
	var names []string
	for _, t := range p.Workload.Tables(p.Settings, p.Seed) {
		names = append(names, "indexes."+t.Name, "finish."+t.Name)
	}
	var all []string
	for _, name := range append(names, afterLoad...) {
		statements, err := p.Schema.Step(name)
		if err != nil {
			return nil, err
		}
		all = append(all, statements...)
	}
	return all, nil
}

// afterLoad names the steps that a build runs after all tables were loaded.
var afterLoad = []string{"indexes", "routines", "finish"}
