package api

import (
	"context"
	"iter"
	"reflect"

	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// Types that are described where no operation returns them as they are.
var (
	exportType   = reflect.TypeFor[document.Export]()
	eventType    = reflect.TypeFor[Event]()
	liveType     = reflect.TypeFor[Live]()
	documentType = reflect.TypeFor[report.Document]()
)

// mostRuns is how many runs of a performance profile are shown.
const mostRuns = 500

func (a *API) addProfiles() {
	const tag = "Performance profiles"
	add(a, get("list-profiles", "/profiles", "List the performance profiles, the newest first", tag),
		func(ctx context.Context, in *struct {
			Limit int `query:"limit" minimum:"1" maximum:"500" default:"50"`
		},
		) (*of[document.Profiles], error) {
			d := document.Profiles{Schema: document.ProfilesSchema, Profiles: []document.ProfileHead{}}
			numbers, err := a.Store.Profiles(ctx)
			if err != nil {
				return nil, err
			}
			for i := len(numbers) - 1; i >= 0 && len(d.Profiles) < in.Limit; i-- {
				runs, err := a.Store.List(ctx, repository.Query{Profile: numbers[i], Limit: mostRuns})
				if err != nil {
					return nil, err
				}
				if len(runs) > 0 { // nobody has deleted them meanwhile
					d.Profiles = append(d.Profiles, document.NewProfileHead(numbers[i], views.OldestFirst(runs)))
				}
			}
			return answer(d, nil)
		})
	add(a, get("show-profile", "/profiles/{number}", "Show the runs of a performance profile", tag),
		func(ctx context.Context, in *struct {
			Number int `path:"number" minimum:"1"`
		},
		) (*of[report.Profile], error) {
			runs, err := document.RunsOfProfile(ctx, a.Store, in.Number)
			if err != nil {
				return nil, err
			}
			return answer(document.NewProfile(in.Number, runs, a.headline), nil)
		})
	compare := get("compare-profiles", "/profiles/compare", "Lay performance profiles over each other", tag)
	compare.Description = "With what differs in what their runs were asked for, and where they were done."
	add(a, compare, func(ctx context.Context, in *struct {
		Number []int `query:"number,explode" required:"true" minItems:"2" maxItems:"26"`
	},
	) (*of[report.ProfileComparison], error) {
		return answer(document.NewProfileComparison(ctx, a.Store, a.Bench, in.Number, a.headline))
	})
	one := get("compare-jobs", "/compare", "Set runs side by side: what differs in them, and what they measured", tagJobs)
	one.Description = "As sledge jobs compare does."
	add(a, one, func(ctx context.Context, in *struct {
		ID []string `query:"id,explode" required:"true" minItems:"2" maxItems:"26" doc:"As of one job: an ID, its first digits, or last."`
	},
	) (*of[report.Comparison], error) {
		return answer(document.NewComparison(ctx, a.Store, a.Bench, in.ID))
	})
	best := get("best-runs", "/best", "List the best run of each database, workload and amount of data", tagJobs)
	best.Description = "As sledge jobs best does: of the runs that succeeded and that Sledge measured itself."
	add(a, best, func(ctx context.Context, _ *struct{}) (*of[document.Best], error) {
		return answer(document.NewBest(ctx, a.Store))
	})
}

// outputOf yields the lines that virtual users put out in a job.
func (a *API) outputOf(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error] {
	return views.Output(ctx, store, j, a.Bench.Catalog)
}
