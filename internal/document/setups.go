package document

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/bundle"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// NewSetupComparison compares two set-ups. Each is named as RunsOf takes it, or by the file of a bundle.
func NewSetupComparison(ctx context.Context, store *repository.Store, resolver settings.Resolver, names [2]string, test report.Test) (report.SetupComparison, error) {
	var runs [2][]report.Measured
	for i, name := range names {
		var err error
		if runs[i], err = measuredOf(ctx, store, resolver, name); err != nil {
			return report.SetupComparison{}, err
		}
		for _, r := range runs[i] {
			if i == 1 && slices.ContainsFunc(runs[0], func(other report.Measured) bool { return other.Job.ID == r.Job.ID }) {
				return report.SetupComparison{}, job.WithExit(job.ExitUsage, fmt.Errorf("job %s belongs to both %s and %s: name different runs", r.Job.ID, names[0], names[1]))
			}
		}
	}
	return CompareSetups(resolver, names, runs, test)
}

// CompareSetups compares two set-ups whose runs are at hand.
func CompareSetups(resolver settings.Resolver, names [2]string, runs [2][]report.Measured, test report.Test) (report.SetupComparison, error) {
	return report.CompareSetups(names, runs, test, defaultsOf(resolver))
}

// measuredOf returns the runs of a set-up with their measurements, the oldest first. A bundle must
// hold.
func measuredOf(ctx context.Context, store *repository.Store, resolver settings.Resolver, name string) ([]report.Measured, error) {
	if bundle.IsFile(name) {
		b, err := bundle.Read(name)
		if err != nil {
			return nil, err
		}
		if err := b.Verify(resolver, "").Err(); err != nil {
			return nil, fmt.Errorf("%s: %w (sledge verify %[1]s lists them)", name, err)
		}
		return b.Measured(), nil
	}
	jobs, err := RunsOf(ctx, store, name)
	if err != nil {
		return nil, err
	}
	return measured(ctx, store, jobs)
}

// measured adds their measurements to runs.
func measured(ctx context.Context, store *repository.Store, jobs []job.Job) (runs []report.Measured, err error) {
	for _, j := range jobs {
		sum, _, err := store.Summary(ctx, j.ID)
		if err != nil {
			return nil, fmt.Errorf("read the measurements of job %s: %w", j.ID, err)
		}
		runs = append(runs, report.Measured{Job: j, Summary: sum})
	}
	return runs, nil
}

// RunsOf returns the runs of a set-up, the oldest first. It is named by a label of its runs (set=a),
// by a performance profile (profile:3), or by the IDs of its runs, separated by commas, as the
// repository accepts them.
func RunsOf(ctx context.Context, store *repository.Store, name string) (runs []job.Job, err error) {
	if number, is := strings.CutPrefix(name, "profile:"); is {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%s: %q is not the number of a performance profile: sledge jobs profile lists them", name, number))
		}
		runs, err = store.List(ctx, repository.Query{Action: job.Run, Profile: n})
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, job.WithExit(job.ExitMissing, fmt.Errorf("there is no performance profile %d: sledge jobs profile lists them", n))
		}
		slices.Reverse(runs)
		return runs, nil
	}
	if label, value, is := strings.Cut(name, "="); is {
		runs, err = store.List(ctx, repository.Query{Action: job.Run, Labels: map[string]string{label: value}})
		if err != nil {
			return nil, err
		}
		if len(runs) == 0 {
			return nil, job.WithExit(job.ExitMissing, fmt.Errorf("no run has the label %s: give it with sledge run --label %s or sledge jobs label", name, name))
		}
		slices.Reverse(runs)
		return runs, nil
	}
	for id := range strings.SplitSeq(name, ",") {
		j, err := store.Get(ctx, job.ID(strings.TrimSpace(id)))
		if err != nil {
			return nil, err
		}
		if j.Spec.Action != job.Run {
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("job %s is a %s: name runs (sledge jobs --action run lists them)", j.ID, j.Spec.Action))
		}
		if slices.ContainsFunc(runs, func(r job.Job) bool { return r.ID == j.ID }) {
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("job %s is named twice: name different runs", j.ID))
		}
		runs = append(runs, j)
	}
	slices.SortStableFunc(runs, func(a, b job.Job) int { return a.Begun.Compare(b.Begun) })
	return runs, nil
}
