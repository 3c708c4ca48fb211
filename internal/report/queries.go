package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// QueryTimes holds the times of one kind of query in a run whose transactions are few and long.
// Each stream does the query once in each query set.
type QueryTimes struct {
	Done    int     `json:"done"`
	NotDone int     `json:"not_done,omitempty"` // number that failed or were aborted
	Least   float64 `json:"least_seconds"`      // of the done queries; 0 if none was done
	Mean    float64 `json:"mean_seconds"`
	Most    float64 `json:"most_seconds"`
	Rows    int64   `json:"rows"` // returned by all of them together
}

// TimesOf returns the times of a kind, or nil if the run has none.
func TimesOf(r job.Result, kind string) *QueryTimes {
	var t QueryTimes
	sum := 0.0
	for _, s := range r.Spans {
		switch {
		case s.Kind != kind:
		case !s.Done():
			t.NotDone++
		default:
			if t.Done == 0 {
				t.Least = s.Seconds
			}
			t.Done++
			t.Least, t.Most = min(t.Least, s.Seconds), max(t.Most, s.Seconds)
			t.Rows += s.Rows
			sum += s.Seconds
		}
	}
	if t.Done+t.NotDone == 0 {
		return nil
	}
	if t.Done > 0 {
		t.Mean = sum / float64(t.Done)
	}
	return &t
}

// cells formats the shortest, the mean and the longest time.
func (t *QueryTimes) cells() (least, mean, most string) {
	if t == nil || t.Done == 0 {
		return "-", "-", "-"
	}
	return seconds(t.Least), seconds(t.Mean), seconds(t.Most)
}

// rows formats the numbers of rows.
func (t *QueryTimes) rows() string {
	if t == nil {
		return "-"
	}
	return count(t.Rows)
}

// ComparedQuery is one kind of transaction in several runs. Each list has one value for each run,
// in their order.
type ComparedQuery struct {
	Kind   string        `json:"kind"`
	Times  []*QueryTimes `json:"times"`  // null for a run without it
	Ratios []*float64    `json:"ratios"` // ratios of the mean times to that of the first run

	// PlanChanged says whether the shape of the plan, its operators, tables and indexes, differs
	// from that in the first run; null if one of the two has no plan.
	PlanChanged []*bool `json:"plan_changed"`
}

// query adds the queries that at least one run has.
func (c *Comparison) query(runs []Measured) {
	var kinds []string
	for _, r := range runs {
		if len(r.Job.Result.Spans) > 0 {
			kinds = append(kinds, r.Job.Kinds...)
		}
	}
	for _, kind := range distinct(kinds) {
		q := ComparedQuery{Kind: kind}
		some := false
		for i, r := range runs {
			t := TimesOf(r.Job.Result, kind)
			some = some || t != nil
			q.Times = append(q.Times, t)
			var ratio *float64
			if first := q.Times[0]; t != nil && t.Done > 0 && first != nil && first.Mean > 0 {
				of := t.Mean / first.Mean
				ratio = &of
			}
			q.Ratios = append(q.Ratios, ratio)
			q.PlanChanged = append(q.PlanChanged, planChanged(runs[0].Plans, runs[i].Plans, kind))
		}
		if some {
			c.Queries = append(c.Queries, q)
		}
	}
}

// doneIn returns how often each query was done.
func doneIn(r job.Result) map[string]int {
	done := map[string]int{}
	for _, s := range r.Spans {
		if s.Done() {
			done[s.Kind]++
		}
	}
	return done
}

// sameDone reports whether two runs did the same queries equally often. Only then can means over
// all of them be compared.
func sameDone(a, b job.Result) bool { return maps.Equal(doneIn(a), doneIn(b)) }

// common adds the geometric mean of the mean times of the queries that all runs did, if the runs
// did different queries. Other figures over all queries are not comparable then.
func (c *Comparison) common(runs []Measured) {
	var in []string // queries that all runs did
	same := true
	for i, r := range runs {
		done := slices.Sorted(maps.Keys(doneIn(r.Job.Result)))
		if i == 0 {
			in = done
		}
		in = slices.DeleteFunc(in, func(kind string) bool { return !slices.Contains(done, kind) })
		same = same && sameDone(runs[0].Job.Result, r.Job.Result)
	}
	if same || len(in) == 0 {
		return
	}
	name := fmt.Sprintf("geometric mean of the %d that all did", len(in))
	c.add(name, "", "s", runs, func(r Measured) (float64, bool) {
		sum := 0.0
		for _, kind := range in {
			sum += math.Log(max(TimesOf(r.Job.Result, kind).Mean, 1e-9)) // a time of 0 counts as a nanosecond
		}
		return math.Exp(sum / float64(len(in))), true
	})
}

// ChangedPlans returns the kinds of transaction and the statements whose plan changed in at least one run.
func (c Comparison) ChangedPlans() (of []string) {
	changed := func(changed *bool) bool { return changed != nil && *changed }
	for _, q := range c.Queries {
		if slices.ContainsFunc(q.PlanChanged, changed) {
			of = append(of, q.Kind)
		}
	}
	for _, s := range c.Statements {
		if slices.ContainsFunc(s.PlanChanged, changed) {
			of = append(of, s.Text)
		}
	}
	return of
}

// queries writes a line for each query: its time in each run, the ratio to the first, and whether
// its plan changed.
func (c Comparison) queries(b *page) {
	if len(c.Queries) == 0 {
		return
	}
	several := slices.ContainsFunc(c.Queries, func(q ComparedQuery) bool {
		return slices.ContainsFunc(q.Times, func(t *QueryTimes) bool { return t != nil && t.Done > 1 })
	})
	what := "in seconds"
	if several {
		what += ", the mean of each"
	}
	b.title("Queries", what+", and the ratio to that of A")
	t := terminal.Table{Columns: []terminal.Column{{Head: "  query", Left: true}}}
	sameRows := c.sameRows()
	// Ranks: columns of plans have the lowest, columns of later runs have higher ones.
	for i := range c.Runs {
		of := Letter(i)
		t.Columns = append(t.Columns, terminal.Column{Head: of})
		if several {
			t.Columns = append(t.Columns, terminal.Column{Head: of + " least", Rank: 3 + 2*i}, terminal.Column{Head: of + " most", Rank: 2 + 2*i})
		}
		if !sameRows {
			t.Columns = append(t.Columns, terminal.Column{Head: of + " rows", Rank: 2*len(c.Runs) + 2 + i})
		}
		if i > 0 {
			t.Columns = append(t.Columns, terminal.Column{Head: of + "/A"}, terminal.Column{Head: cmp.Or(planHead(len(c.Runs)), "plan "+of), Left: true, Rank: 1})
		}
	}
	if sameRows {
		t.Columns = append(t.Columns, terminal.Column{Head: "rows", Rank: 2*len(c.Runs) + 2})
	}
	for _, q := range c.Queries {
		cells := []string{"  " + Printable(q.Kind)}
		for i, times := range q.Times {
			least, mean, most := times.cells()
			if times != nil && times.NotDone > 0 {
				if times.Done > 0 {
					mean = fmt.Sprintf("%d not done, %s", times.NotDone, mean)
				} else {
					mean = "not done"
				}
				mean = b.Look.Bad(mean)
			}
			cells = append(cells, mean)
			if several {
				cells = append(cells, least, most)
			}
			if !sameRows {
				cells = append(cells, times.rows())
			}
			if i > 0 {
				cells = append(cells, figured(q.Ratios[i]), b.planCell(q.PlanChanged[i]))
			}
		}
		if sameRows {
			cells = append(cells, q.Times[0].rows())
		}
		t.Row(cells...)
	}
	b.lay(t)
}

// sameRows reports whether all runs got the same number of rows for each query, as they do for the
// same queries on the same data.
func (c Comparison) sameRows() bool {
	return !slices.ContainsFunc(c.Queries, func(q ComparedQuery) bool {
		return slices.ContainsFunc(q.Times, func(t *QueryTimes) bool {
			return t == nil || q.Times[0] == nil || t.Rows != q.Times[0].Rows
		})
	})
}

// planHead returns the head of the column of plans, or "" if each run needs its own.
func planHead(runs int) string {
	if runs == 2 {
		return "plan"
	}
	return ""
}
