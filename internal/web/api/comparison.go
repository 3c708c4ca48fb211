package api

import (
	"context"

	"sledge/internal/document"
	"sledge/internal/report"
)

// comparisons compare jobs.
type comparisons struct{ *base }

func (c comparisons) add(t *table) {
	compare := get("compare-jobs", "/compare", "Compare the settings and figures of runs", tagJobs)
	compare.Description = "Like sledge jobs compare."
	compare.Errors = notFound
	add(t, compare, func(ctx context.Context, in *struct {
		ID []string `query:"id,explode" required:"true" minItems:"2" maxItems:"26" doc:"ID of a run, its first digits, or last."`
	},
	) (*of[report.Comparison], error) {
		return answer(document.NewComparison(ctx, c.Store, c.Resolver, in.ID))
	})
	best := get("best-runs", "/best", "List the best run of each database, workload and amount of data", tagJobs)
	best.Description = "Like sledge jobs best: among the runs that succeeded and that Sledge measured itself."
	add(t, best, func(ctx context.Context, _ *struct{}) (*of[document.Best], error) {
		return answer(document.NewBest(ctx, c.Store))
	})
}
