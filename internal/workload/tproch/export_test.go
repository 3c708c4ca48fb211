package tproch

import "sledge/internal/workload/tproch/dbgen"

// Text returns what a question is asked by.
func Text(inputs any) (string, error) {
	q := inputs.(*question)
	return q.text, q.err
}

// Survey returns the findings for a schema of a scale whose refresh functions have inserted and
// deleted so many orders.
func Survey(factor float64, inserted, deleted int64) any {
	size, err := dbgen.NewScale(factor)
	if err != nil {
		panic(err)
	}
	return surveyed{factor: factor, size: size, done: progress{newSales: inserted, oldSales: deleted}}
}

// Set returns the set of a refresh function.
func Set(inputs any) int64 { return inputs.(*refreshing).set }
