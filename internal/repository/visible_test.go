package repository_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/repository/repositorytest"
)

func TestVisible_HidesTheJobsOfOtherProjects(t *testing.T) {
	store, err := repository.Open(filepath.Join(t.TempDir(), "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ids := map[string]job.ID{}
	for _, project := range []string{"kernel", "nightly", "kernel's", ""} { // the newest is in no project
		spec := job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc"}
		if project != "" {
			spec.Labels = map[string]string{job.LabelProject: project}
		}
		id, err := repositorytest.Day(t.Context(), store, spec, 2)
		if err != nil {
			t.Fatal(err)
		}
		ids[project] = id
	}
	for _, seen := range [][]string{{"kernel"}, {"kernel's"}, {"kernel", "nightly"}, {""}, {}, nil} {
		ctx := repository.Visible(t.Context(), seen)
		list, err := store.List(ctx, repository.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range list {
			if !slices.Contains(seen, j.Spec.Labels[job.LabelProject]) {
				t.Errorf("%q sees a job of %q", seen, j.Spec.Labels[job.LabelProject])
			}
		}
		count, err := store.Count(ctx)
		if err != nil || count != len(list) {
			t.Errorf("%q: got the number %d and %v, want %d", seen, count, err, len(list))
		}
		best, err := store.Headlines(ctx)
		if err != nil || len(best) != len(list) {
			t.Errorf("%q: got %d headlines and %v, want %d", seen, len(best), err, len(list))
		}
		for project, id := range ids {
			_, get := store.Get(ctx, id)
			_, _, sum := store.Summary(ctx, id)
			_, before := store.List(ctx, repository.Query{Before: id})
			errs := []error{get, sum, before}
			sees := slices.Contains(seen, project) && project != ""
			if !sees {
				errs = append(errs, store.Delete(ctx, id))
			}
			for i, err := range errs {
				if sees != (err == nil) || !sees && !errors.Is(err, repository.ErrNotFound) {
					t.Errorf("%q, request %d about a job of %q: got %v", seen, i, project, err)
				}
			}
		}
		last, err := store.Get(ctx, "last")
		if len(list) == 0 && !errors.Is(err, repository.ErrNotFound) || len(list) > 0 && (err != nil || last.ID != list[0].ID) {
			t.Errorf("%q: the last job is %s, %v", seen, last.ID, err)
		}
	}
}
