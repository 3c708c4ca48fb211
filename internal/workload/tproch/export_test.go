package tproch

import "sledge/internal/workload/tproch/dbgen"

// Text returns the statement of a question.
func Text(inputs any) (string, error) {
	q := inputs.(*question)
	return q.text, q.err
}

// Survey returns the survey of a schema with a scale factor, in which refresh functions have
// inserted and deleted that many orders.
func Survey(factor float64, inserted, deleted int64) any {
	size, err := dbgen.NewScale(factor)
	if err != nil {
		panic(err)
	}
	return surveyed{factor: factor, size: size, done: progress{newSales: inserted, oldSales: deleted}}
}

// Set returns the number of the set that a refresh transaction belongs to.
func Set(inputs any) int64 { return inputs.(*refreshing).set }
