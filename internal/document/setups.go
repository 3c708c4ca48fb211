package document

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// NewSetupComparison compares two set-ups. Each is named by a label of its runs (set=a), by a
// performance profile (profile:3), or by the IDs of its runs, separated by commas, as the repository
// accepts them.
func NewSetupComparison(ctx context.Context, store *repository.Store, resolver settings.Resolver, names [2]string, test report.Test) (report.SetupComparison, error) {
	var runs [2][]report.Measured
	for i, name := range names {
		jobs, err := runsOf(ctx, store, name)
		if err != nil {
			return report.SetupComparison{}, err
		}
		for _, j := range jobs {
			if i == 1 && slices.ContainsFunc(runs[0], func(r report.Measured) bool { return r.Job.ID == j.ID }) {
				return report.SetupComparison{}, job.WithExit(job.ExitUsage, fmt.Errorf("job %s belongs to both %s and %s: name different runs", j.ID, names[0], names[1]))
			}
			sum, _, err := store.Summary(ctx, j.ID)
			if err != nil {
				return report.SetupComparison{}, fmt.Errorf("compare: %w", err)
			}
			runs[i] = append(runs[i], report.Measured{Job: j, Summary: sum})
		}
	}
	return report.CompareSetups(names, runs, test, defaultsOf(resolver))
}

// runsOf returns the runs of a set-up, the oldest first.
func runsOf(ctx context.Context, store *repository.Store, name string) (runs []job.Job, err error) {
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
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("job %s is a %s: only runs can be compared (sledge jobs --action run lists them)", j.ID, j.Spec.Action))
		}
		if slices.ContainsFunc(runs, func(r job.Job) bool { return r.ID == j.ID }) {
			return nil, job.WithExit(job.ExitUsage, fmt.Errorf("job %s is named twice: name different runs", j.ID))
		}
		runs = append(runs, j)
	}
	slices.SortStableFunc(runs, func(a, b job.Job) int { return a.Begun.Compare(b.Begun) })
	return runs, nil
}
