package document

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// NewHistory returns the history of the runs of a set-up, which is named as for NewSetupComparison. The
// name of a single run, or last, stands for all runs with its options, server and data.
func NewHistory(ctx context.Context, store *repository.Store, resolver settings.Resolver, name string, test report.HistoryTest) (report.History, error) {
	jobs, err := RunsOf(ctx, store, name)
	if err != nil {
		return report.History{}, err
	}
	if len(jobs) == 1 && !strings.Contains(name, "=") && !strings.HasPrefix(name, "profile:") {
		j := jobs[0]
		all, err := store.List(ctx, repository.Query{Action: job.Run, Database: j.Spec.Database, Workload: j.Spec.Workloads()})
		if err != nil {
			return report.History{}, fmt.Errorf("history: %w", err)
		}
		slices.Reverse(all)
		jobs, name = runsLike(j, all), "runs like "+string(j.ID)
	}
	runs, err := measured(ctx, store, jobs)
	if err != nil {
		return report.History{}, err
	}
	return report.NewHistory(name, runs, test, defaultsOf(resolver))
}
