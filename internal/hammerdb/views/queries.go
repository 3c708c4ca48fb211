package views

import (
	"math"
	"slices"
	"strconv"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/report"
)

// answered is the result of a run of queries in HammerDB's terms. The mean is over the queries of
// all virtual users that returned rows.
type answered struct {
	mean    float64 // in seconds
	queries string  // number of queries in the mean
	sets    string  // number of complete sets
	seconds string  // whole seconds from the first query to the last answer
	lines   []string
}

// answers returns the result of a run of queries, and whether the run completed at least one set.
func answers(j job.Job) (answered, bool) {
	if mean, ok := j.Result.Metric(geomean); ok { // HammerDB recorded it
		sets, _ := figureOf(j, querySets)
		seconds, _ := figureOf(j, queryTime)
		return answered{
			mean: mean, queries: queriesOf(j), sets: sets, seconds: seconds,
			lines: []string{j.Result.Line, "Completed " + sets + " query set(s) in " + seconds + " seconds"},
		}, true
	}
	var a answered
	sets := slices.DeleteFunc(lines.QuerySets(j.Result.Spans), func(q *lines.QuerySet) bool { return !q.Whole || q.Rows == 0 })
	mean, queries := lines.MeanOfSets(sets)
	if queries == 0 {
		return a, false
	}
	for _, q := range sets {
		a.lines = append(a.lines, q.MeanLine(), q.Completed())
	}
	const digits = 1e5 // as in the lines
	a.mean, a.queries, a.sets = math.Round(mean*digits)/digits, strconv.Itoa(queries), strconv.Itoa(len(sets))
	a.seconds = strconv.FormatFloat(lines.Span(sets), 'f', 0, 64)
	return a, true
}

// spanTimings returns response times from a run's spans, for the virtual user at a position, or for
// all users if position is 0.
func spanTimings(j job.Job, position int, c catalog.Catalog) []job.Timing {
	labels, users := labelsOf(j, c), 1
	if position == 0 {
		users = max(1, j.Result.Users)
	}
	elapsed := 1000 * j.Result.Elapsed
	var list []job.Timing
	for i, kind := range j.Kinds {
		var times []float64 // in milliseconds
		for _, s := range j.Result.Spans {
			if s.Kind == kind && s.Done() && (position == 0 || s.User == position) {
				times = append(times, 1000*s.Seconds)
			}
		}
		if len(times) == 0 {
			continue
		}
		slices.Sort(times)
		total, squares := 0.0, 0.0
		for _, t := range times {
			total += t
		}
		mean := total / float64(len(times))
		for _, t := range times {
			squares += (t - mean) * (t - mean)
		}
		rank := func(percent float64) float64 { // the nearest rank
			return times[max(0, int(math.Ceil(percent/100*float64(len(times))))-1)]
		}
		p25, p75 := rank(25), rank(75)
		list = append(list, job.Timing{
			Name: report.KindName(labels, i), Calls: int64(len(times)), Elapsed: elapsed,
			Min: times[0], Avg: mean, Max: times[len(times)-1], Total: total,
			P99: rank(99), P95: rank(95), P75: &p75, P50: rank(50), P25: &p25, SD: math.Sqrt(squares / float64(len(times))),
			Ratio: report.Percent(total, elapsed*float64(users)),
		})
	}
	return list
}
