// Package ceiling measures what the client on this machine can drive. Virtual users work on a stand-in
// that answers at once and runs in a process of its own, so that the CPU time of this process is the
// client's alone. The package knows no database and no workload.
package ceiling

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/generator"
	"sledge/internal/engine/order"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/workload"
)

// Measurement is the input of a measurement. The users and the phases of each repeat are those of the
// plan.
type Measurement struct {
	Program string // the path of this program, which is started again with the argument Command
	Plan    plan.Plan
	Feed    *feed.Feed
	Stop    <-chan struct{} // closed to end the measurement early, without a result
}

// Target returns what the users work on, in place of a server.
func Target(p plan.Plan) string { return "Sledge's stand-in for " + p.Database.Title }

// repeats is the number of measurements, whose spread shows how well the figure can be repeated.
const repeats = 5

// Do measures the ceiling.
func (m Measurement) Do(ctx context.Context) (job.Result, error) {
	d, w := m.Plan.Database, m.Plan.Workload
	result := job.Result{Extent: job.Extent{Users: m.Plan.Users, Started: time.Now()}}
	if d.StandIn == nil || w.Users.Answers == nil || w.Users.Answers(m.Plan.SQL) == nil {
		return result, job.WithExit(job.ExitUsage, fmt.Errorf("%s has no stand-in for %s", d.Title, w.Title))
	}
	if m.Program == "" {
		return result, errors.New("this program cannot start itself as the stand-in of a server: use sledge ceiling")
	}
	s, err := start(ctx, m.Program, m.Plan.Spec)
	if err != nil {
		return result, err
	}
	defer s.end()
	work, err := m.bind(ctx, s.first.Port)
	if err != nil {
		return result, s.cause(err)
	}
	c := job.Ceiling{Protocol: d.Title, Title: w.Title, Cores: host.Cores(), Loops: work.Plan.Pacing.Connections.LoopsOn(host.Cores())}
	for n := range repeats {
		m.Feed.Send(job.Event{Progress: &job.Progress{Step: "measure", Done: int64(n), Total: repeats, Unit: "repeats"}})
		r, err := m.repeat(ctx, s, work, c.Loops)
		if err != nil {
			return result, s.cause(err)
		}
		c.Repeats = append(c.Repeats, r)
	}
	m.Feed.Send(job.Event{Progress: &job.Progress{Step: "measure", Done: repeats, Total: repeats, Unit: "repeats"}})
	conclude(&c)
	result.Ceiling, result.Elapsed = &c, time.Since(result.Started).Seconds()
	result.Metrics = []job.Metric{{Name: "TPS", Value: c.TransactionsPerSecond, Means: "transactions a second that the client on this machine can drive"}}
	return result, nil
}

// conclude calculates the ceiling from its repeats.
func conclude(c *job.Ceiling) {
	var each []float64
	for _, r := range c.Repeats {
		each = append(each, r.CPUMicroseconds)
	}
	slices.Sort(each)
	c.CPUMicroseconds = each[len(each)/2]
	c.SpreadPercent = 100 * (each[len(each)-1] - each[0]) / c.CPUMicroseconds
	c.TransactionsPerSecond = float64(c.Cores) * 1e6 / c.CPUMicroseconds
}

// bind binds the work of the users to the stand-in at a port. The generator asks a server only what
// transactions need.
func (m Measurement) bind(ctx context.Context, port int) (plan.Group, error) {
	spec := m.Plan.Spec
	spec.Action = job.Run
	spec.Options = spec.Options.Clone()
	for name, value := range m.Plan.Database.StandIn.Options("127.0.0.1", port) {
		spec.Options[name] = value
	}
	p, err := plan.New(m.Plan.Pair, spec)
	if err != nil {
		return plan.Group{}, err
	}
	p.Server.Name, p.Server.Connection, p.Server.Flush = nil, nil, nil
	g := plan.Group{Plan: p}
	if p.Workload.Users.Survey == nil {
		return g, nil
	}
	session, err := target.Connect(ctx, p.Job, database.Owner)
	if err != nil {
		return g, err
	}
	defer target.CloseQuietly(&session)
	g.Survey, err = p.Workload.Users.Survey(ctx, workload.Look{Session: session, SQL: p.SQL, Options: p.Settings, Progress: func(string, int64, int64) {}})
	return g, err
}

// repeat measures once, with new connections.
func (m Measurement) repeat(ctx context.Context, s *standIn, work plan.Group, loops int) (r job.CeilingRepeat, err error) {
	before, err := s.ask(request{})
	if err != nil {
		return r, err
	}
	g := generator.New(ctx, func(job.Spec) (plan.Group, error) { return work, nil }, &feed.Feed{})
	defer g.Close()
	if _, err := g.Prepare(ctx, []job.Spec{work.Plan.Spec}); err != nil {
		return r, err
	}
	if err := g.Start(ctx); err != nil {
		return r, err
	}
	ended := make(chan error, 1)
	go func() {
		var failure error
		for report := range g.Reports() {
			if report.Failure != nil {
				failure = report.Failure
			}
		}
		ended <- failure
	}()
	failure := m.phases(ctx, g, work.Plan)
	g.Stop()
	select {
	case err = <-ended:
	case <-time.After(work.Plan.Grace):
		g.Abort()
		err = <-ended
	}
	if failure == nil {
		failure = err
	}
	if failure != nil {
		return r, failure
	}
	totals, err := g.Freeze(ctx)
	if err != nil {
		return r, err
	}
	all := totals.Groups[0].Summary.All()
	if failures := totals.Groups[0].Failures; len(failures) > 0 {
		return r, fmt.Errorf("a transaction on the stand-in of a server failed: %s: %s", failures[0].Kind, failures[0].Message)
	}
	counted, err := g.Counted(ctx, 0)
	if err != nil {
		return r, err
	}
	after, err := s.ask(request{})
	if err != nil {
		return r, err
	}
	if sent, served := counted.PerConnection[0].Succeeded, after.Ended-before.Ended; sent != served {
		return r, fmt.Errorf("the counts differ: the virtual users ended %d transactions, and the stand-in of a server %d", sent, served)
	}
	r = job.CeilingRepeat{Seconds: totals.Elapsed.Seconds(), Transactions: all.Done + all.RolledBack, CPUSeconds: totals.Client.CPUSeconds}
	if r.Transactions == 0 {
		return r, errors.New("no transaction ended in the measured time")
	}
	r.BusyPercent = 100 * totals.Client.CoresUsed / float64(host.CoreUse{Loops: loops}.Threads())
	r.CPUMicroseconds = r.CPUSeconds * 1e6 / float64(r.Transactions)
	return r, nil
}

// errStopped means that the measurement was stopped and has no result.
var errStopped = job.WithExit(job.ExitStopped, errors.New("the measurement was stopped: there is no result"))

// phases runs the ramp-up and the measured time.
func (m Measurement) phases(ctx context.Context, g order.Generator, p plan.Plan) error {
	for _, phase := range []order.Phase{{Name: job.RampUp, Length: p.Pacing.RampUp}, {Name: job.Measure, Length: p.Pacing.Duration}} {
		if _, err := g.Mark(ctx, phase); err != nil {
			return err
		}
		select {
		case <-time.After(phase.Length):
		case <-m.Stop:
			return errStopped
		case <-ctx.Done():
			return errStopped
		}
	}
	_, err := g.Mark(ctx, order.Phase{Name: job.Finish})
	return err
}
