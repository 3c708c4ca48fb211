package lines

import (
	"fmt"
	"math"
	"strings"

	"sledge/internal/job"
)

// querySet is what a virtual user has done of a set of queries.
type querySet struct {
	from       float64 // when it began
	rows       int     // queries that returned rows
	logarithms float64 // of their times, added up
}

// query words a query that begins or ends, and at the end of a set what came of it: the
// geometric mean of the times of those that returned rows.
func (s *Speaker) query(span job.Span) []string {
	number := strings.TrimPrefix(span.Kind, "query ")
	if span.Outcome == "" {
		if span.Number == 1 || s.sets[span.User] == nil {
			if s.sets == nil {
				s.sets = map[int]*querySet{}
			}
			s.sets[span.User] = &querySet{from: span.From}
		}
		return []string{fmt.Sprintf("Executing Query %s (%d of %d)", number, span.Number, span.Of)}
	}
	var said []string
	set := s.sets[span.User]
	if set == nil {
		set = &querySet{from: span.From}
	}
	switch span.Outcome {
	case job.SpanDone:
		said = append(said, fmt.Sprintf("query %s completed in %.3f seconds", number, span.Seconds))
		if span.Rows > 0 {
			set.rows++
			set.logarithms += math.Log(max(span.Seconds, 1e-9))
		}
	default:
		said = append(said, strings.TrimSuffix(fmt.Sprintf("query %s %s: %s", number, span.Outcome, span.Message), ": "))
	}
	if span.Number < span.Of {
		return said
	}
	said = append(said, fmt.Sprintf("Completed %d query set(s) in %.0f seconds", span.Set, span.From+span.Seconds-set.from))
	if set.rows > 0 {
		said = append(said, fmt.Sprintf("Geometric mean of query times returning rows (%d) is %.5f", set.rows, math.Exp(set.logarithms/float64(set.rows))))
	}
	return said
}
