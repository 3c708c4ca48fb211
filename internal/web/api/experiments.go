package api

import (
	"context"

	"sledge/internal/document"
	"sledge/internal/report"
	"sledge/internal/repository"
)

const tagExperiments = "Experiments and histories"

// experiments are the experiments whose runs the repository has, and the histories of its runs.
type experiments struct{ *base }

// OneExperiment names an experiment.
type OneExperiment struct {
	Name   string   `path:"name" maxLength:"200"`
	Factor []string `query:"factor,explode" maxItems:"50" doc:"Labels that tell the cells apart; by default those that all runs have and that differ."`
}

func (o OneExperiment) document(ctx context.Context, store *repository.Store) (report.Experiment, error) {
	e, _, err := document.NewExperiment(ctx, store, o.Name, o.Factor)
	return e, err
}

// OneHistory names runs, and what to look at.
type OneHistory struct {
	Name   string  `query:"name" default:"last" maxLength:"300" doc:"Runs: a label (suite=nightly), a profile (profile:3), or the ID of one of them or last, which stands for all runs like it."`
	Figure string  `query:"figure" maxLength:"300" doc:"Name of a figure, such as 'response p99'; by default the headline figure."`
	Least  float64 `query:"least" minimum:"0" exclusiveMaximum:"100" doc:"Changes by less than this percentage are left out."`
}

func (o OneHistory) document(ctx context.Context, b *base) (report.History, error) {
	return document.NewHistory(ctx, b.Store, b.Resolver, o.Name, report.HistoryTest{Figure: o.Figure, Least: o.Least / 100})
}

func (e experiments) add(t *table) {
	add(t, get("list-experiments", "/experiments", "List the experiments, the one with the newest run first", tagExperiments),
		func(ctx context.Context, in *struct {
			Limit int `query:"limit" minimum:"1" maximum:"500" default:"50"`
		},
		) (*of[document.Experiments], error) {
			return answer(document.NewExperiments(ctx, e.Store, in.Limit))
		})
	show := get("show-experiment", "/experiments/{name}", "Show the figures of an experiment by its cells, and the effects of its settings", tagExperiments)
	show.Description = "Like sledge experiment show."
	add(t, show, func(ctx context.Context, in *OneExperiment) (*of[report.Experiment], error) {
		return answer(in.document(ctx, e.Store))
	})
	history := get("show-history", "/history", "Show when the results of a set-up changed, and what changed with them", tagExperiments)
	history.Description = "Like sledge history."
	history.Errors = notFound
	add(t, history, func(ctx context.Context, in *OneHistory) (*of[report.History], error) {
		return answer(in.document(ctx, e.base))
	})
}
