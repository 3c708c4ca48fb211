package document

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// NewCatalog returns the document of the databases and the workloads.
func NewCatalog(c catalog.Catalog) Catalog {
	d := Catalog{Schema: CatalogSchema}
	for _, one := range c.Databases {
		d.Databases = append(d.Databases, Entry{Name: one.Name, Title: one.Title, Aliases: orEmpty(one.Aliases), Schemes: catalog.Schemes(one), Proof: one.Proof(), Unproven: one.Tested.Unproven, Unsampled: one.Runs.Unsampled})
	}
	for _, one := range c.Workloads {
		d.Workloads = append(d.Workloads, Entry{Name: one.Name, Title: one.Title, Aliases: orEmpty(one.Aliases)})
	}
	return d
}

// orEmpty returns an empty list for nil, so that JSON has [] and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// NewJobs returns the document of a list of jobs, in summary. headline returns the headline of a
// run in one line, or "".
func NewJobs(jobs []job.Job, headline func(job.Job) string) Jobs {
	d := Jobs{Schema: JobsSchema, Jobs: make([]report.Document, len(jobs))}
	for i, j := range jobs {
		d.Jobs[i] = NewHead(j, headline)
	}
	return d
}

// NewHead returns the summary of a job for a list.
func NewHead(j job.Job, headline func(job.Job) string) report.Document {
	d := report.NewDocument(j, j.Result.Summary)
	d.Line, d.Facts, d.Findings, d.Loaded, d.Alarms, d.Grounds, d.Resources, d.ServerCounters, d.Statements = headline(j), nil, nil, nil, nil, nil, nil, nil, nil
	return d
}

// NewTPM returns the document of transactions per minute, for the seconds of a run that ended after
// from and not after until. A zero time means no bound. It downsamples the points to at most most; 0
// means no limit.
func NewTPM(ctx context.Context, store *repository.Store, c catalog.Catalog, j job.Job, from, until time.Time, most int) (TPM, error) {
	d := TPM{Schema: TPMSchema, ID: j.ID, Points: []job.Rate{}, ServerDelay: c.CountDelay(j.Spec.Database).Seconds()}
	for r, err := range store.Rates(ctx, j.ID, from, until) {
		if err != nil {
			return d, err
		}
		d.Points = append(d.Points, r)
	}
	d.Points = Downsample(d.Points, most)
	return d, nil
}

// NewSamples returns the document of what was sampled beside a run, with the bounds of NewTPM. It
// downsamples each series.
func NewSamples(ctx context.Context, store *repository.Store, j job.Job, from, until time.Time, most int) (Samples, error) {
	d := Samples{Schema: SamplesSchema, ID: j.ID}
	for r, err := range store.Rates(ctx, j.ID, time.Time{}, time.Time{}) {
		if err != nil {
			return d, err
		}
		d.Axis = r.At.Add(-r.Passed()).UTC()
		break
	}
	series, err := store.Series(ctx, j.ID, from, until, most)
	d.Series = orEmpty(series)
	return d, err
}

// NewPoints returns the document of at most most points, for the seconds of a run that ended after
// from and not after until. A zero time means no bound. Most must be at least 16.
func NewPoints(ctx context.Context, store *repository.Store, j live.Job, from, until time.Time, most int) (Points, error) {
	record, places, err := recordOf(ctx, store, j, from, until, most)
	if err != nil {
		return Points{}, err
	}
	d := Points{Schema: PointsSchema, ID: j.ID, Axis: record.Axis().UTC(), Width: record.Width(), Phases: orEmpty(record.Phases()), Markers: record.Markers(), ServerDelay: j.CountDelay.Seconds()}
	if record.Axis().IsZero() {
		d.Axis = time.Time{}
	}
	d.Points, d.Figures, err = record.Points(ctx, func(ctx context.Context, first, count int) ([]meter.CodedSummary, error) {
		return store.Measurements(ctx, places[first:first+count])
	})
	if err != nil {
		return d, fmt.Errorf("read the points of job %s: %w", j.ID, err)
	}
	d.Points, d.Figures = orEmpty(d.Points), orEmpty(d.Figures)
	return d, nil
}

// recordOf adds the recorded events and seconds of a job to a record, in order of time. It returns
// the places of the seconds that are in a point.
func recordOf(ctx context.Context, store *repository.Store, j live.Job, from, until time.Time, most int) (*live.Record, []repository.Place, error) {
	record := live.NewRecord(j, most)
	var places []repository.Place
	next, stop := iter.Pull2(store.Places(ctx, j.ID))
	defer stop()
	second, err, more := next()
	secondsWhile := func(due func() bool) error {
		for ; more && (err != nil || due()); second, err, more = next() {
			if err != nil {
				return err
			}
			within := second.At.After(from) && (until.IsZero() || !second.At.After(until))
			if within {
				places = append(places, second.Place)
			}
			if err := record.Add(second.Event, within); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range store.Events(ctx, j.ID) {
		if err != nil {
			return nil, nil, err
		}
		if err := secondsWhile(func() bool { return !second.At.After(e.At) }); err != nil {
			return nil, nil, err
		}
		if err := record.Add(e, false); err != nil {
			return nil, nil, err
		}
	}
	return record, places, secondsWhile(func() bool { return true })
}

// NewTiming returns the document of the response times of all virtual users together in a phase of
// a run.
func NewTiming(ctx context.Context, store *repository.Store, j job.Job, phase job.Phase) (Timing, error) {
	d := Timing{Schema: TimingSchema, ID: j.ID, Phase: phase}
	if phase == job.Measure {
		sum, _, err := store.Summary(ctx, j.ID)
		if err != nil {
			return d, err
		}
		whole := report.NewDocument(j, sum)
		sum.Elapsed = time.Duration(whole.Elapsed * float64(time.Second))
		timed, all := report.Timing(j.Kinds, sum, report.Workers(j, phase))
		d.Elapsed, d.Transactions, d.All = whole.Elapsed, append([]report.Transaction{}, whole.Transactions...), whole.All
		for i := range d.Transactions {
			d.Transactions[i].TimePercent = timed[i].TimePercent
		}
		if d.All != nil {
			d.All.TimePercent = all.TimePercent
		}
		return d, nil
	}
	sum, err := store.PhaseSummary(ctx, j.ID, phase)
	if err != nil {
		return d, err
	}
	d.Elapsed = sum.Elapsed.Seconds()
	d.Transactions, d.All = report.Timing(j.Kinds, sum, report.Workers(j, phase))
	return d, nil
}

// TimingOfUsers returns the timing of each virtual user in a phase of a run. It returns nothing if
// the run had no time profile.
func TimingOfUsers(ctx context.Context, store *repository.Store, j job.Job, phase job.Phase) ([]UserTiming, error) {
	users, err := store.OfUsers(ctx, j.ID, phase)
	if err != nil {
		return nil, err
	}
	var list []UserTiming
	for _, u := range users {
		sum, err := u.Measured.Summary()
		if err != nil {
			return nil, fmt.Errorf("read the measurements of virtual user %d of job %s: %w", u.Position, j.ID, err)
		}
		one := UserTiming{User: u.Position, Elapsed: u.Measured.Elapsed.Seconds()}
		one.Transactions, one.All = report.Timing(j.Kinds, sum, float64(max(1, j.Result.Clients)))
		list = append(list, one)
	}
	return list, nil
}

// Seconds returns the measurements of each second of a phase of a run.
func Seconds(ctx context.Context, store *repository.Store, j job.Job, phase job.Phase) ([]report.Second, error) {
	list := []report.Second{}
	for s, err := range store.Seconds(ctx, j.ID) {
		if err != nil {
			return nil, err
		}
		if s.Second.Phase != phase {
			continue
		}
		second, err := report.SecondOf(j.Kinds, s)
		if err != nil {
			return nil, err
		}
		if len(j.Result.Spans) > 0 { // most seconds of such a run have no transaction
			second.Transactions = slices.DeleteFunc(second.Transactions, func(one report.SecondTransaction) bool {
				return one.Done+one.RolledBack+one.Failed+one.Retries == 0
			})
		}
		list = append(list, second)
	}
	return list, nil
}

// NewProfileHead returns the summary of a performance profile. runs are its runs, the oldest first.
func NewProfileHead(profile int, runs []job.Job) ProfileHead {
	h := ProfileHead{Profile: profile, Runs: len(runs), Database: runs[0].Spec.Database, Begun: runs[0].Begun.UTC()}
	for _, p := range report.Points(runs) {
		if p.NOPM > h.BestNOPM {
			h.BestNOPM, h.Users = p.NOPM, p.Users
		}
	}
	return h
}

// generalNames are the settings that are not options.
var generalNames = []string{"db", "workload", "users", "seed"}

// NewSettings returns the document of an order's settings, with their sources.
func NewSettings(order settings.Order) Settings {
	d := Settings{
		Schema: SettingsSchema, Action: string(order.Spec.Action),
		Database: order.Spec.Database, Workload: order.Spec.Workload,
		Target: order.Plan.Database.Options.Target(order.Plan.Connection),
		Users:  order.Counts, Seed: order.Spec.Seed, Labels: order.Spec.Labels, Note: order.Spec.Note,
		Origins: map[string]string{}, Settings: order.Settings(), Warnings: order.Warnings,
	}
	for _, name := range generalNames {
		d.Origins[name] = order.Origin(name)
	}
	return d
}
