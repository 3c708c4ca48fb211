package document

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// NewComparison returns a comparison of runs. ids are IDs as the repository accepts them.
func NewComparison(ctx context.Context, store *repository.Store, resolver settings.Resolver, ids []string) (report.Comparison, error) {
	usage := func(format string, args ...any) (report.Comparison, error) {
		return report.Comparison{}, job.WithExit(job.ExitUsage, fmt.Errorf(format, args...))
	}
	if len(ids) < 2 || len(ids) > report.MostCompared {
		return usage("compare: name from two runs to %d", report.MostCompared)
	}
	var runs []report.Measured
	for _, id := range ids {
		j, err := store.Get(ctx, job.ID(id))
		if err != nil {
			return report.Comparison{}, err
		}
		if j.Spec.Action != job.Run {
			return usage("job %s is a %s: only runs can be compared (sledge jobs --action run lists them)", j.ID, j.Spec.Action)
		}
		if slices.ContainsFunc(runs, func(r report.Measured) bool { return r.Job.ID == j.ID }) {
			return usage("job %s is named twice: name different runs", j.ID)
		}
		sum, _, err := store.Summary(ctx, j.ID)
		if err != nil {
			return report.Comparison{}, fmt.Errorf("compare: %w", err)
		}
		plans, err := store.Plans(ctx, j.ID)
		if err != nil {
			return report.Comparison{}, fmt.Errorf("compare: %w", err)
		}
		runs = append(runs, report.Measured{Job: j, Summary: sum, Plans: plans})
	}
	comparison := report.Compare(runs, defaultsOf(resolver))
	type pair struct{ database, workload string }
	known := map[pair][]job.Job{} // reading the runs takes a second if there are 50,000
	for _, r := range runs {
		of := pair{r.Job.Spec.Database, r.Job.Spec.Workloads()}
		if _, is := known[of]; !is {
			list, err := store.List(ctx, repository.Query{Action: job.Run, Database: of.database, Workload: of.workload, Figures: true})
			if err != nil {
				return report.Comparison{}, fmt.Errorf("compare: %w", err)
			}
			known[of] = list
		}
		comparison.Repeats = append(comparison.Repeats, report.RepeatsOf(r.Job, runsLike(r.Job, known[of])))
	}
	return comparison, nil
}

// runsLike returns the valid runs among all with the same settings, server and data as j, including j
// itself.
func runsLike(j job.Job, all []job.Job) (list []job.Job) {
	place := func(j job.Job) (string, string) {
		if j.Facts == nil {
			return "", ""
		}
		return j.Facts.Target, j.Facts.Size
	}
	target, size := place(j)
	for _, other := range all {
		t, s := place(other)
		same := maps.Equal(other.Spec.Options, j.Spec.Options) && maps.Equal(other.Spec.Files, j.Spec.Files) && slices.EqualFunc(other.Spec.Beside, j.Spec.Beside, job.Group.Equal) && report.Users(other) == report.Users(j) && t == target && s == size
		if same && (other.Status.Valid() || other.ID == j.ID) {
			list = append(list, other)
		}
	}
	return list
}

// defaultsOf returns a function that returns the value of an option in a job that does not set it,
// or "" if that is unknown.
func defaultsOf(resolver settings.Resolver) func(j job.Job, name string) string {
	return func(j job.Job, name string) string {
		pair, err := resolver.Known().PairOf(j.Spec)
		if err != nil {
			return ""
		}
		list := pair.Options()
		if i := slices.IndexFunc(list, func(d option.Description) bool { return d.Name == name }); i >= 0 {
			return list[i].Default
		}
		return ""
	}
}

// NewBest returns the document of the best runs.
func NewBest(ctx context.Context, store *repository.Store) (Best, error) {
	headlines, err := store.Headlines(ctx)
	best, short := report.Best(headlines)
	return Best{Schema: BestSchema, Best: best, TooShort: short}, err
}

// RunsOfProfile returns the runs of a performance profile with their measurements, the oldest
// first.
func RunsOfProfile(ctx context.Context, store *repository.Store, number int) ([]job.Job, error) {
	runs, err := store.List(ctx, repository.Query{Profile: number})
	if err != nil {
		return nil, err
	}
	if len(runs) == 0 {
		return nil, job.WithExit(job.ExitMissing, fmt.Errorf("there is no performance profile %d: sledge jobs profile lists them", number))
	}
	slices.Reverse(runs)
	for i := range runs {
		if runs[i].Result.Summary, _, err = store.Summary(ctx, runs[i].ID); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// NewProfile returns the document of a performance profile.
func NewProfile(number int, runs []job.Job, headline func(job.Job) string) report.Profile {
	return report.NewProfile(number, runs, func(j job.Job) report.Document {
		d := report.NewDocument(j, j.Result.Summary)
		d.Line = headline(j)
		return d
	})
}

// NewProfileComparison returns a comparison of performance profiles.
func NewProfileComparison(ctx context.Context, store *repository.Store, resolver settings.Resolver, numbers []int, headline func(job.Job) string) (report.ProfileComparison, error) {
	if len(numbers) < 2 || len(numbers) > report.MostCompared {
		return report.ProfileComparison{}, job.WithExit(job.ExitUsage, fmt.Errorf("name from two profiles to %d", report.MostCompared))
	}
	var profiles []report.Profile
	var runs [][]job.Job
	for i, number := range numbers {
		if slices.Contains(numbers[:i], number) {
			return report.ProfileComparison{}, job.WithExit(job.ExitUsage, fmt.Errorf("profile %d is named twice: name different profiles", number))
		}
		of, err := RunsOfProfile(ctx, store, number)
		if err != nil {
			return report.ProfileComparison{}, err
		}
		profiles = append(profiles, NewProfile(number, of, headline))
		runs = append(runs, of)
	}
	return report.CompareProfiles(profiles, runs, defaultsOf(resolver)), nil
}
