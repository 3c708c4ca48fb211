// Package repositorytest fills repositories for tests of their readers: with as many jobs as a team
// records in some years, and with a run of a day. The measurements are invented.
package repositorytest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// kinds are the names of transactions.
var kinds = []string{"new order", "payment", "delivery", "stock level", "order status"}

// Jobs adds a number of jobs to a repository, a few each day until now: builds and runs like the
// given ones, most of which succeeded.
func Jobs(ctx context.Context, store *repository.Store, like []job.Spec, jobs int) error {
	const templates = 40
	draw := rand.New(rand.NewPCG(1, 2))
	for n := range min(jobs, templates) {
		spec := like[n%len(like)]
		spec.Action, spec.Users, spec.Seed = job.Run, 1<<(n%7), 1
		spec.Options = option.Values{"rampup": "2m", "duration": "5m", "host": fmt.Sprintf("db%d", 1+n%5)}
		spec.Labels = map[string]string{"ticket": fmt.Sprint(4700 + n), "kernel": "6." + fmt.Sprint(n%9)}
		spec.Note = []string{"", "before the upgrade", "after the upgrade", "with huge pages"}[n%4]
		if n%8 == 0 {
			spec.Action, spec.Users = job.Build, 0
		}
		recorder, err := store.Begin(ctx, spec, kinds, 0)
		if err != nil {
			return err
		}
		recorder.Watch(job.Event{At: time.Now(), Facts: &job.Facts{
			SledgeVersion: "v1.0.0", Server: "16.4", Target: fmt.Sprintf("db%d:5432/shop", 1+n%5), Size: fmt.Sprintf("%d shops", 10*(1+n%4)),
			ServerSettings: map[string]string{"memory": "8GB", "connections": "500"},
			Durability:     &job.Durability{Holds: n%5 != 0, Why: "the settings"},
			Host:           job.Host{Name: "client1", OS: "debian 12", Arch: "amd64", CPU: "a processor", CPUs: 16, MemoryBytes: 64 << 30},
		}})
		result, failure := job.Result{Status: job.Succeeded, Extent: job.Extent{Started: time.Now(), Elapsed: 300, Users: spec.Users}}, error(nil)
		orders := math.Round(20_000 * (1 + draw.Float64()) * float64(1+n%7))
		switch {
		case spec.Action == job.Build:
			result.Loaded = []job.TableLoad{{Table: "stock", Rows: 1_000_000, Bytes: 300 << 20, Seconds: 12}}
		case n%11 == 5:
			result.Status, failure = job.Failed, errors.New("connect to db1:5432: connection refused")
		default:
			result.Metrics = []job.Metric{{Name: "NOPM", Value: orders, Means: "new orders a minute"}, {Name: "TPM", Value: 2.3 * orders, Means: "transactions a minute"}}
			result.Agreement = &job.Agreement{What: "new order", Client: int64(5 * orders), Server: int64(5 * orders), Low: int64(5*orders) - 9, High: int64(5*orders) + 9, Holds: true}
			if n%13 == 6 {
				result.Status, result.Reason = job.Invalid, "the counts disagree"
			}
		}
		if err := recorder.End(ctx, result, failure); err != nil {
			return err
		}
	}
	return multiply(ctx, store.Path(), jobs)
}

// multiply copies the existing jobs, and spreads the copies over the past.
func multiply(ctx context.Context, path string, jobs int) error {
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(30000)")
	if err != nil {
		return err
	}
	columns := []string{"action", "database", "workload", "spec", "kinds", "status", "reason", "host", "pid", "process_begun_ms", "facts", "result"}
	_, err = db.ExecContext(ctx, fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1),
			template AS (SELECT row_number() OVER (ORDER BY number) - 1 AS place, count(*) OVER () AS of, * FROM job)
		INSERT INTO job (id, begun_ms, ended_ms, seen_ms, %[1]s)
		SELECT printf('%%08X%%016X', begun / 1000, i), begun, begun + 420000, begun + 420000, %[1]s FROM (
			SELECT i, (SELECT max(begun_ms) FROM job) - i * 9000000 AS begun, template.* FROM n JOIN template ON place = i %% of)`,
		strings.Join(columns, ", ")), jobs-min(jobs, 40))
	return errors.Join(err, db.Close())
}

// Day adds a run of a number of seconds, and passes each second to the recorder. It returns the ID
// of the run. The rate rises and falls with the hours. In one second of each hour no transaction
// ends, and after it a transaction takes a second.
func Day(ctx context.Context, store *repository.Store, spec job.Spec, seconds int) (job.ID, error) {
	g, err := Begin(ctx, store, spec, time.Now().Add(-time.Duration(seconds)*time.Second))
	if err != nil {
		return "", err
	}
	g.Seconds(seconds)
	all := g.sum.All()
	return g.ID(), g.End(ctx, job.Result{
		Status: job.Succeeded, Measured: job.Measured{Summary: g.sum, Kinds: kinds}, Metrics: []job.Metric{{Name: "NOPM", Value: g.sum.PerMinute(g.sum.Kinds[0].Done), Means: "new orders a minute"}, {Name: "TPM", Value: g.sum.PerMinute(all.Done), Means: "transactions a minute"}},
	})
}

// Going is a run of this process that continues until End is called.
type Going struct {
	recorder *repository.Recorder
	begun    time.Time
	users    int
	second   int // number of seconds so far
	draw     *rand.Rand
	stripe   *meter.Stripe
	interval *meter.Interval
	sum      meter.Summary
}

// Begin adds a run like Day's, whose measured time began at a given moment.
func Begin(ctx context.Context, store *repository.Store, spec job.Spec, begun time.Time) (*Going, error) {
	spec.Action, spec.Users, spec.Seed = job.Run, 64, 1
	recorder, err := store.Begin(ctx, spec, kinds, 0)
	if err != nil {
		return nil, err
	}
	recorder.Watch(job.Event{Sequence: 1, At: begun, Phase: &job.PhaseSpan{Name: job.Measure, Length: 24 * time.Hour}})
	return &Going{
		recorder: recorder, begun: begun, users: spec.Users, draw: rand.New(rand.NewPCG(3, 4)),
		stripe: meter.NewStripe(), interval: meter.NewInterval(len(kinds)), sum: meter.NewSummary(len(kinds)),
	}, nil
}

// ID returns the run's ID.
func (g *Going) ID() job.ID { return g.recorder.ID() }

// Begun returns when the measured time began.
func (g *Going) Begun() time.Time { return g.begun }

// Seconds adds n seconds at once.
func (g *Going) Seconds(n int) {
	for range n {
		wave := 1 + 0.5*math.Sin(2*math.Pi*float64(g.second)/7200)
		done := int(60 * wave)
		if g.second%3600 == 1800 {
			done = 0
		}
		for n := range done {
			took := time.Duration(float64(2*time.Millisecond) * math.Exp(0.7*g.draw.NormFloat64()))
			if n == 0 && g.second%3600 == 1801 {
				took = time.Second
			}
			g.stripe.Record(meter.Record{Kind: meter.Kind(n % len(kinds)), Service: took, Response: took})
		}
		g.stripe.Take(g.interval, &g.sum)
		g.second++
		passed, tpm := time.Duration(g.second)*time.Second, 60*float64(done)
		g.recorder.Watch(job.Event{At: g.begun.Add(passed), Second: &job.Second{
			Moment: job.Moment{Phase: job.Measure, Offset: passed.Seconds(), ServerTPM: &tpm}, Measured: g.interval.Cut(time.Second),
		}})
	}
	g.sum.Elapsed = time.Duration(g.second) * time.Second
}

// Samples adds what observers sampled in each of the seconds so far.
func (g *Going) Samples(in func(second int) []job.Sample) {
	for n := range g.second {
		g.recorder.Watch(job.Event{At: g.begun.Add(time.Duration(n+1)*time.Second - 50*time.Millisecond), Samples: in(n)})
	}
}

// Active adds what active sessions did in the seconds so far, by five samples in each. A second without shares has no
// samples.
func (g *Going) Active(in func(second int) []job.ActivityShare) {
	for n := range g.second {
		if shares := in(n); len(shares) > 0 {
			g.recorder.Watch(job.Event{At: g.begun.Add(time.Duration(n+1)*time.Second - 50*time.Millisecond), Activity: &job.ActivitySecond{Samples: 5, Shares: shares}})
		}
	}
}

// End ends the run with a result, to which it adds the time and the host.
func (g *Going) End(ctx context.Context, result job.Result) error {
	result.Started, result.Elapsed, result.Users = g.begun, g.sum.Elapsed.Seconds(), g.users
	return g.recorder.End(ctx, result, nil)
}
