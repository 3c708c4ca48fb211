package api

import (
	"context"
	"iter"
	"net/http"
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
			runs, err := a.Store.List(ctx, repository.Query{Profile: in.Number, Limit: mostRuns})
			if err != nil {
				return nil, err
			}
			if len(runs) == 0 {
				return nil, problem(http.StatusNotFound, "there is no performance profile %d", in.Number)
			}
			d := report.Profile{Schema: report.ProfileSchema, Profile: in.Number}
			for _, j := range views.OldestFirst(runs) {
				sum, _, err := a.Store.Summary(ctx, j.ID)
				if err != nil {
					return nil, err
				}
				one := report.NewDocument(j, sum)
				one.Line = a.headline(j)
				d.Runs = append(d.Runs, one)
			}
			return answer(d, nil)
		})
}

// outputOf yields the lines that virtual users put out in a job.
func (a *API) outputOf(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error] {
	return views.Output(ctx, store, j, a.Bench.Catalog)
}
