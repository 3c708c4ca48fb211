// Package parts returns the views of a job's parts by HammerDB's names, for the jobs command and
// the web service. Package views defines their shapes.
package parts

import (
	"context"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/dictionaries"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// Source reads the parts from a repository.
type Source struct {
	Store   *repository.Store
	Catalog catalog.Catalog
}

// part makes the view of a part of a job.
type part func(s Source, ctx context.Context, j job.Job) (views.View, error)

// all maps names to parts.
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
		used, err := views.Used(ctx, s.Store, j)
		return views.Metrics(j, used), err
	},
	"system": func(s Source, ctx context.Context, j job.Job) (views.View, error) {
		details, err := s.Store.ImportDetails(ctx, j.ID)
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

// Is reports whether a part with that name exists.
func Is(name string) bool { return all[name] != nil }

// Of returns the view of a part. It panics if Is returns false for the name.
func (s Source) Of(ctx context.Context, j job.Job, name string) (views.View, error) {
	return all[name](s, ctx, j)
}

// Lines returns the view of the virtual users' output; see views.Lines.
func (s Source) Lines(ctx context.Context, j job.Job, user int) (views.View, bool, error) {
	return views.Lines(views.Output(ctx, s.Store, j, s.Catalog), user)
}

// TimingOf returns the view of the response times of the virtual user at a position. It returns
// false if they are unknown.
func (s Source) TimingOf(ctx context.Context, j job.Job, user int) (views.View, bool, error) {
	if user < 1 {
		return views.View{}, false, nil
	}
	timings, err := views.UserTimings(ctx, s.Store, j, user, s.Catalog)
	return views.Timing(j, timings), len(timings) > 0, err
}

// Settings returns all settings of a job except secrets.
func (s Source) Settings(ctx context.Context, j job.Job) ([]job.Section, error) {
	if j.Origin == "" {
		return dictionaries.OfJob(s.Catalog, j.Spec), nil
	}
	details, err := s.Store.ImportDetails(ctx, j.ID)
	return details.Settings, err
}

// Artifact returns the document of "jobs ID save".
func (s Source) Artifact(ctx context.Context, j job.Job) (views.View, error) {
	sections, err := s.Settings(ctx, j)
	if err != nil {
		return views.View{}, err
	}
	return views.Artifact(ctx, s.Store, j, sections, s.Catalog)
}
