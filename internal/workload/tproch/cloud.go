package tproch

import (
	"fmt"

	"sledge/internal/meter"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/qgen"
)

// cloudQueries is the number of queries in the cloud analytic set, which replaces the 22 queries.
// They have no parameters and a fixed order.
const cloudQueries = 13

// firstCloudQuery is the kind of its first query.
const firstCloudQuery meter.Kind = qgen.Queries + 2 // behind the refresh functions

// cloudKinds are the queries of the cloud analytic set, query 1 first.
func cloudKinds() []workload.Kind {
	kinds := make([]workload.Kind, cloudQueries)
	for i := range kinds {
		kinds[i].Name = fmt.Sprintf("cloud query %d", i+1)
	}
	return kinds
}

// cloudStream is the terminal of a virtual user that runs the cloud analytic set, query 1 first,
// set after set.
type cloudStream struct {
	sql    *sqlfile.Library
	number int // of the stream
	sets   int // number of query sets to run

	set, next int // the current set, from 0, and the next query in it, from 0
	question
}

// Pick implements workload.Terminal.
func (s *cloudStream) Pick() (workload.Transaction, bool) {
	if s.next == cloudQueries {
		s.set, s.next = s.set+1, 0
	}
	if s.set == s.sets {
		return workload.Transaction{}, false
	}
	kind := firstCloudQuery + meter.Kind(s.next)
	s.next++
	s.question = question{
		query: s.next,
		span:  workload.Span{Stream: s.number, Set: s.set + 1, Number: s.next, Of: cloudQueries},
	}
	s.text, s.err = s.sql.Filled(fmt.Sprintf("cloud%02d", s.next), nil)
	return workload.Transaction{Kind: kind, Inputs: &s.question}, true
}
