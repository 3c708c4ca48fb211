package api

import (
	"context"

	"sledge/internal/document"
	"sledge/internal/report"
)

// addComparisons adds the operations that compare jobs.
func (a *API) addComparisons() {
	compare := get("compare-jobs", "/compare", "Compare the settings and figures of runs", tagJobs)
	compare.Description = "Like sledge jobs compare."
	compare.Errors = notFound
	add(a, compare, func(ctx context.Context, in *struct {
		ID []string `query:"id,explode" required:"true" minItems:"2" maxItems:"26" doc:"ID of a run, its first digits, or last."`
	},
	) (*of[report.Comparison], error) {
		return answer(document.NewComparison(ctx, a.Store, a.Resolver, in.ID))
	})
	best := get("best-runs", "/best", "List the best run of each database, workload and amount of data", tagJobs)
	best.Description = "Like sledge jobs best: among the runs that succeeded and that Sledge measured itself."
	add(a, best, func(ctx context.Context, _ *struct{}) (*of[document.Best], error) {
		return answer(document.NewBest(ctx, a.Store))
	})
}
