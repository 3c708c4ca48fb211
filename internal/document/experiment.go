package document

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// ExperimentsSchema names the format of Experiments.
const ExperimentsSchema = "sledge-experiments-1"

// Experiments lists experiments, the one with the newest run first.
type Experiments struct {
	Schema      string                      `json:"schema"` // always ExperimentsSchema
	Experiments []repository.ExperimentHead `json:"experiments"`
}

// NewExperiments lists at most limit experiments; all if limit is 0.
func NewExperiments(ctx context.Context, store *repository.Store, limit int) (Experiments, error) {
	list, err := store.Experiments(ctx, limit)
	return Experiments{ExperimentsSchema, append([]repository.ExperimentHead{}, list...)}, err
}

// NewExperiment makes the document of an experiment from the runs that have its label, and returns
// these, the oldest first. factors are the labels that tell its cells apart; none means the labels that
// all runs have with more than one value.
func NewExperiment(ctx context.Context, store *repository.Store, name string, factors []string) (report.Experiment, []job.Job, error) {
	runs, err := RunsOfExperiment(ctx, store, name)
	if err != nil {
		return report.Experiment{}, nil, err
	}
	if len(runs) == 0 {
		return report.Experiment{}, nil, job.WithExit(job.ExitMissing, fmt.Errorf("there is no run of an experiment %s: sledge jobs list --label experiment lists the runs of all experiments", name))
	}
	if len(factors) == 0 {
		factors = factorsOf(runs)
	}
	return report.NewExperiment(name, factors, runs), runs, nil
}

// RunsOfExperiment returns the runs of an experiment, the oldest first.
func RunsOfExperiment(ctx context.Context, store *repository.Store, name string) ([]job.Job, error) {
	runs, err := store.List(ctx, repository.Query{Action: job.Run, Labels: map[string]string{job.LabelExperiment: name}})
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	slices.Reverse(runs)
	return runs, nil
}

// factorsOf returns the labels that all runs have and that have more than one value, except those of every
// experiment.
func factorsOf(runs []job.Job) []string {
	names := maps.Clone(runs[0].Spec.Labels)
	differ := map[string]bool{}
	for _, j := range runs {
		for name, value := range names {
			own, has := j.Spec.Labels[name]
			if !has {
				delete(names, name)
			}
			differ[name] = differ[name] || own != value
		}
	}
	maps.DeleteFunc(names, func(name, _ string) bool {
		return !differ[name] || name == job.LabelExperiment || name == job.LabelCell
	})
	return slices.Sorted(maps.Keys(names))
}
