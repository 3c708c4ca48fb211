// Package parts finds the parts of a job by the names that HammerDB has for them, for all
// that shows them: the jobs command and the web service. Their shapes are in views.
package parts

import (
	"context"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// Source is where parts come from.
type Source struct {
	Store   *repository.Store
	Catalog catalog.Catalog
}

// part makes the view of a part of a job.
type part func(s Source, ctx context.Context, j job.Job) (views.View, error)

// all has the parts by their names.
var all = map[string]part{
	"status": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		view, _, err := s.Lines(ctx, j, 0)
		return view, err
	},
	"result": func(s Source, _ context.Context, j job.Job) (views.View, error) {
		return views.Result(j, s.Catalog), nil
	},
	"timing": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		timings, err := views.AllTimings(ctx, s.Store, j, s.Catalog)
		return views.Timing(j, timings), err
	},
	"tcount": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		return views.TCount(ctx, s.Store, j, s.Catalog)
	},
	"metrics": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		details, err := s.Store.Imported(ctx, j.ID)
		return views.Metrics(j, details), err
	},
	"system": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		details, err := s.Store.Imported(ctx, j.ID)
		return views.System(j, details), err
	},
	"dict": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		sections, err := s.Settings(ctx, j)
		return views.Settings(sections), err
	},
	"db": func(s Source, _ context.Context, j job.Job) (views.View, error) {
		return views.Database(j, s.Catalog), nil
	},
	"bm": func(s Source, _ context.Context, j job.Job) (views.View, error) {
		return views.Benchmark(j, s.Catalog), nil
	},
	"timestamp": func(_ Source, _ context.Context, j job.Job) (views.View, error) {
		return views.Timestamps(j), nil
	},
}

// Is reports whether there is a part of that name.
func Is(name string) bool { return all[name] != nil }

// Of makes the view of a part, of which Is says that there is one.
func (s Source) Of(ctx context.Context, j job.Job, name string) (views.View, error) {
	return all[name](s, ctx, j)
}

// Lines is the view of what virtual users put out, as views.Lines has it.
func (s Source) Lines(ctx context.Context, j job.Job, user int) (views.View, bool, error) {
	return views.Lines(views.Output(ctx, s.Store, j, s.Catalog), user)
}

// TimingOf is the view of how long the transactions of the virtual user at a position took.
// It returns false where that is not known.
func (s Source) TimingOf(ctx context.Context, j job.Job, user int) (views.View, bool, error) {
	if user < 1 {
		return views.View{}, false, nil
	}
	timings, err := views.UserTimings(ctx, s.Store, j, user, s.Catalog)
	return views.Timing(j, timings), len(timings) > 0, err
}

// Settings returns all settings of a job but for the secret ones.
func (s Source) Settings(ctx context.Context, j job.Job) ([]job.Section, error) {
	if j.Origin == "" {
		return dictionaries.OfJob(s.Catalog, j.Spec), nil
	}
	details, err := s.Store.Imported(ctx, j.ID)
	return details.Settings, err
}

// Artifact is the document of "jobs ID save".
func (s Source) Artifact(ctx context.Context, j job.Job) (views.View, error) {
	sections, err := s.Settings(ctx, j)
	if err != nil {
		return views.View{}, err
	}
	return views.Artifact(ctx, s.Store, j, sections, s.Catalog)
}
