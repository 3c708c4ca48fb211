package report

import (
	"fmt"
	"math"
	"strconv"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// resources shows how the resources of the machines were used.
func resources(b *page, r job.Resources) {
	b.title("Resources", "utilization, saturation and errors in the measured time; the worst is the greatest value of a second, from when that began")
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "  machine", Left: true},
		{Head: "resource", Left: true},
		{Head: "aspect", Left: true, Rank: 2},
		{Head: "measure", Left: true, Wrapped: true},
		{Head: "mean"},
		{Head: "worst"},
		{Head: "at", Rank: 1},
		{Head: "over its limit", Left: true, Rank: 3},
	}}
	var before job.ResourceUse
	for _, u := range r.Uses {
		machine, resource := "", ""
		if u.Machine != before.Machine {
			machine = u.Machine
			if machine == r.Server {
				machine += " (server)"
			}
		}
		if machine != "" || u.Resource != before.Resource || u.Of != before.Of {
			resource = u.Resource
			if u.Of != "" {
				resource += " " + u.Of
			}
		}
		before = u
		measure := u.Measure
		if u.Unit != "" {
			measure += " (" + u.Unit + ")"
		}
		row := []string{"  " + machine, resource, string(u.Aspect), measure}
		if v := u.Values; v == nil {
			row = append(row, "not measured", "", "", "")
		} else {
			row = append(row, used(v.Mean), used(v.Worst), fmt.Sprintf("%.0f s", v.WorstAt), overLimit(u))
		}
		t.Row(row...)
	}
	b.table(t)
	if r.Server == "" {
		b.say(b.Look.Faint, "  The server's machine was not measured. An agent on it samples it: --agent.")
	}
}

// overLimit says for how long a measure was over its limit.
func overLimit(u job.ResourceUse) string {
	switch v := u.Values; {
	case v.Over > 0 && u.Aspect == job.Errors:
		return fmt.Sprintf("in %d of %d s", v.Over, v.Seconds)
	case v.Over > 0:
		return fmt.Sprintf("%g in %d of %d s", u.Limit, v.Over, v.Seconds)
	}
	return ""
}

// used formats a value of a measure with three significant digits, but with at most two decimals.
func used(v float64) string {
	switch size := math.Abs(v); {
	case size >= 100:
		return count(int64(math.Round(v)))
	case size >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64)
}
