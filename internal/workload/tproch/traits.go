package tproch

import (
	"fmt"
	"slices"
	"strconv"

	"sledge/internal/job"
	"sledge/internal/workload"
)

// standardScales are the scale factors of TPC-H 4.1.3.
var standardScales = []float64{1, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000}

// traits says in what a run was a test as TPC-H asks for it, and in what not.
func traits(w workload.Window) []job.Trait {
	o, is := w.Options.(*Options)
	survey, known := w.Survey.(surveyed)
	if !is || !known {
		return nil
	}
	tests := job.Trait{Name: "tests", Here: "the throughput test", Asked: "a power test, and a throughput test after it", Source: "TPC-H 5.3", Met: o.Test == testBoth}
	parameters := job.Trait{Name: "parameters", Here: "drawn from the seed", Asked: "drawn from a seed", Source: "TPC-H 2.1.3", Met: true}
	switch {
	case o.Cloud:
		tests.Here = "cloud analytic queries, which are not those of TPC-H"
		parameters.Here, parameters.Met = "none", false
	case o.Test == testBoth:
		tests.Here = "both"
	case o.Test == testPower:
		tests.Here = "the power test"
	case o.Test == testQueries:
		tests.Here = "queries alone"
	}
	if o.Validation {
		parameters.Here, parameters.Met = "those whose answers are published", false
	}
	refreshes := job.Trait{Name: "refresh functions", Here: "none, so the data do not change", Asked: "one pair for each stream of queries", Source: "TPC-H 2.5", Met: o.refreshes() && o.RefreshSets == 0}
	switch {
	case o.refreshes() && o.RefreshSets == 0:
		refreshes.Here = "one pair for each stream"
	case o.refreshes():
		refreshes.Here = fmt.Sprintf("%d pairs", o.RefreshSets)
	}
	list := []job.Trait{
		{
			Name: "scale factor", Here: strconv.FormatFloat(survey.factor, 'g', -1, 64), Asked: "1, 10, 30, 100, 300 or a larger one of the standard",
			Source: "TPC-H 4.1.3", Met: slices.Contains(standardScales, survey.factor),
		},
		tests, parameters, refreshes,
	}
	if least := leastStreams(survey.factor); least > 0 && (o.Test == testThroughput || o.Test == testBoth) {
		list = append(list, job.Trait{
			Name: "streams", Here: strconv.Itoa(w.Users - 1), Asked: fmt.Sprintf("%d or more at this scale factor", least), Source: "TPC-H 5.3.4", Met: w.Users-1 >= least,
		})
	}
	return list
}
