package api

import (
	"context"

	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/report"
	"sledge/internal/repository"
)

const tagProfiles = "Performance profiles"

// mostRuns limits the runs of a performance profile in a list.
const mostRuns = 500

// profiles are the performance profiles.
type profiles struct{ *base }

func (p profiles) add(t *table) {
	add(t, get("list-profiles", "/profiles", "List the performance profiles, newest first", tagProfiles),
		func(ctx context.Context, in *struct {
			Limit int `query:"limit" minimum:"1" maximum:"500" default:"50"`
		},
		) (*of[document.Profiles], error) {
			d := document.Profiles{Schema: document.ProfilesSchema, Profiles: []document.ProfileHead{}}
			numbers, err := p.Store.Profiles(ctx)
			if err != nil {
				return nil, err
			}
			for i := len(numbers) - 1; i >= 0 && len(d.Profiles) < in.Limit; i-- {
				runs, err := p.Store.List(ctx, repository.Query{Profile: numbers[i], Limit: mostRuns})
				if err != nil {
					return nil, err
				}
				if len(runs) > 0 { // they may have been deleted meanwhile
					d.Profiles = append(d.Profiles, document.NewProfileHead(numbers[i], views.OldestFirst(runs)))
				}
			}
			return answer(d, nil)
		})
	add(t, get("show-profile", "/profiles/{number}", "Show the runs of a performance profile", tagProfiles),
		func(ctx context.Context, in *struct {
			Number int `path:"number" minimum:"1"`
		},
		) (*of[report.Profile], error) {
			runs, err := document.RunsOfProfile(ctx, p.Store, in.Number)
			if err != nil {
				return nil, err
			}
			return answer(document.NewProfile(in.Number, runs, p.headline), nil)
		})
	compare := get("compare-profiles", "/profiles/compare", "Compare performance profiles", tagProfiles)
	compare.Description = "The response includes the differences in settings, servers and machines."
	compare.Errors = notFound
	add(t, compare, func(ctx context.Context, in *struct {
		Number []int `query:"number,explode" required:"true" minItems:"2" maxItems:"26"`
	},
	) (*of[report.ProfileComparison], error) {
		return answer(document.NewProfileComparison(ctx, p.Store, p.Resolver, in.Number, p.headline))
	})
}
