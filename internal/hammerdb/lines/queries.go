package lines

import (
	"fmt"
	"math"
	"strings"

	"sledge/internal/job"
)

// QuerySet is the progress of a virtual user in a set of queries.
type QuerySet struct {
	Set     int     // number of the virtual user's set, from 1
	Rows    int     // queries that returned rows
	Failed  int     // queries that were not done
	Seconds float64 // from the first query to the last answer
	Whole   bool    // whether all of its queries have ended without being aborted

	cloud      bool
	from       float64
	logarithms float64 // sum over the times of the queries that returned rows
}

// QuerySets returns the sets of a run in the order in which they began.
func QuerySets(spans []job.Span) []*QuerySet {
	type place struct{ user, stream, set int }
	var list []*QuerySet
	of := map[place]*QuerySet{}
	for _, span := range spans {
		if _, is := refreshOf(span.Kind); is {
			continue
		}
		at := place{span.User, span.Stream, span.Set}
		if of[at] == nil {
			of[at] = newQuerySet(span)
			list = append(list, of[at])
		}
		of[at].add(span)
	}
	return list
}

// newQuerySet begins the set whose first query is given.
func newQuerySet(span job.Span) *QuerySet {
	return &QuerySet{Set: span.Set, from: span.From, cloud: strings.HasPrefix(span.Kind, cloudQuery)}
}

// add adds a query that has ended.
func (q *QuerySet) add(span job.Span) {
	q.Seconds = span.From + span.Seconds - q.from
	q.Whole = span.Number == span.Of && span.Outcome != job.SpanCutOff
	switch {
	case !span.Done():
		q.Failed++
	case span.Rows > 0:
		q.Rows++
		q.logarithms += math.Log(max(span.Seconds, 1e-9))
	}
}

// Mean returns the geometric mean, in seconds, of the times of the queries that returned rows.
// There must be at least one.
func (q *QuerySet) Mean() float64 { return math.Exp(q.logarithms / float64(q.Rows)) }

// Completed returns the line with the time of the set.
func (q *QuerySet) Completed() string {
	if q.cloud {
		return fmt.Sprintf("Completed query set in %.0f seconds", q.Seconds)
	}
	return fmt.Sprintf("Completed %d query set(s) in %.0f seconds", q.Set, q.Seconds)
}

// MeanLine returns the line with the geometric mean, or "" if no query returned rows.
func (q *QuerySet) MeanLine() string {
	switch {
	case q.Rows == 0:
		return ""
	case q.cloud:
		return fmt.Sprintf("Geometric mean of query times returning rows is %.5f", q.Mean())
	}
	return fmt.Sprintf("Geometric mean of query times returning rows (%d) is %.5f", q.Rows, q.Mean())
}

// MeanOfSets returns the geometric mean, in seconds, of the times of all queries in several sets
// that returned rows, and the number of these queries.
func MeanOfSets(sets []*QuerySet) (mean float64, queries int) {
	sum := 0.0
	for _, q := range sets {
		sum, queries = sum+q.logarithms, queries+q.Rows
	}
	if queries == 0 {
		return 0, 0
	}
	return math.Exp(sum / float64(queries)), queries
}

// Span returns the seconds from the beginning of the first of several sets to the end of the last
// one.
func Span(sets []*QuerySet) float64 {
	from, to := math.Inf(1), 0.0
	for _, q := range sets {
		from, to = min(from, q.from), max(to, q.from+q.Seconds)
	}
	return max(0, to-from)
}

// Prefixes of the kinds of transaction that have HammerDB's lines.
const (
	query      = "query "
	cloudQuery = "cloud query "
)

// refreshOf returns the name of a refresh function in lines.
func refreshOf(kind string) (title string, is bool) {
	title, is = map[string]string{"new sales refresh": "New Sales refresh", "old sales refresh": "Old Sales refresh"}[kind]
	return title, is
}

// inSet is the current state of a virtual user in a run of queries.
type inSet struct {
	queries *QuerySet

	refreshed float64 // seconds of the refresh functions in the current set
	refreshes int     // refresh sets that are done
}

// set returns the state of a virtual user.
func (s *Speaker) set(user int) *inSet {
	if s.sets == nil {
		s.sets = map[int]*inSet{}
	}
	if s.sets[user] == nil {
		s.sets[user] = &inSet{}
	}
	return s.sets[user]
}

// span returns the lines for a transaction that begins or ends.
func (s *Speaker) span(span job.Span) []string {
	if title, is := refreshOf(span.Kind); is {
		return s.refresh(title, span)
	}
	return s.query(span)
}

// query returns the lines for a query that begins or ends, and at the end of a set the geometric
// mean of the times of the queries that returned rows.
func (s *Speaker) query(span job.Span) []string {
	in := s.set(span.User)
	number, ofCloud := strings.CutPrefix(span.Kind, cloudQuery)
	if !ofCloud {
		number = strings.TrimPrefix(span.Kind, query)
	}
	if span.Outcome == "" {
		if span.Number == 1 || in.queries == nil {
			in.queries = newQuerySet(span)
		}
		if ofCloud {
			return []string{fmt.Sprintf("Executing Query (%d of %d)", span.Number, span.Of)}
		}
		return []string{fmt.Sprintf("Executing Query %s (%d of %d)", number, span.Number, span.Of)}
	}
	if in.queries == nil {
		in.queries = newQuerySet(span)
	}
	set := in.queries
	set.add(span)
	var said []string
	switch {
	case span.Done() && ofCloud:
		said = append(said, fmt.Sprintf("%d rows returned in %.3f seconds", span.Rows, span.Seconds))
	case span.Done():
		said = append(said, fmt.Sprintf("query %s completed in %.3f seconds", number, span.Seconds))
	default:
		said = append(said, ended(query+number, span))
	}
	if !set.Whole {
		return said
	}
	said = append(said, set.Completed())
	if line := set.MeanLine(); line != "" {
		said = append(said, line)
	}
	if set.Failed > 0 {
		said = append(said, fmt.Sprintf("%d of %d queries failed: their times are in no mean", set.Failed, span.Of))
	}
	return said
}

// refresh returns the lines for a refresh function that begins or ends, and for the end of a set of
// both functions.
func (s *Speaker) refresh(title string, span job.Span) []string {
	in := s.set(span.User)
	switch {
	case span.Outcome == "":
		return []string{title}
	case !span.Done():
		in.refreshed = 0
		return []string{ended(title, span)}
	}
	said := []string{fmt.Sprintf("%s complete in %.3f seconds", title, span.Seconds)}
	in.refreshed += span.Seconds
	if span.Kind == "old sales refresh" { // the second of the two
		in.refreshes++
		said = append(said, fmt.Sprintf("Completed update set(s) %d in %.0f seconds", in.refreshes, in.refreshed))
		in.refreshed = 0
	}
	return said
}

// ended returns the line for a transaction that failed or was aborted.
func ended(what string, span job.Span) string {
	return strings.TrimSuffix(fmt.Sprintf("%s %s: %s", what, span.Outcome, span.Message), ": ")
}

// refreshed returns the final line of a virtual user with the number of its refresh sets, if it has
// done any.
func (s *Speaker) refreshed(user int) []string {
	if in := s.sets[user]; in != nil && in.refreshes > 0 {
		return []string{fmt.Sprintf("Completed %d update set(s)", in.refreshes)}
	}
	return nil
}

// answer returns the lines for a query and for each row of its answer.
func answer(a job.Answer) []string {
	said := strings.Split(strings.TrimSpace(a.Text), "\n")
	for _, row := range a.Rows {
		values := make([]string, len(row))
		for i, value := range row {
			values[i] = strings.TrimSpace(value)
		}
		said = append(said, strings.Join(values, " | "))
	}
	switch a.More {
	case 0:
	case 1:
		said = append(said, "and 1 more row")
	default:
		said = append(said, fmt.Sprintf("and %d more rows", a.More))
	}
	return said
}
