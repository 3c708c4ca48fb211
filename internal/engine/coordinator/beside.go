package coordinator

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net"
	"slices"

	"sledge/internal/agent"
	"sledge/internal/database"
	"sledge/internal/doctor"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/order"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// observers returns the observers of a timed run.
func (r *run) observers(stop <-chan struct{}) []observer.Observer {
	p, list := r.plan, r.samplers()
	if p.Server.Counter != nil {
		r.counts.observed = &observer.Counter{Connect: r.steady, Count: p.Server.Counter}
		list = append(list, r.counts.observed)
	}
	if p.Database.Runs.Report != nil && !p.Pacing.Test {
		if how := p.Database.Runs.Report(p.Connection, p.Pacing.Duration); how != nil {
			list = append(list, &observer.ServerReport{How: how, Connect: r.steady, Stop: stop})
		}
	}
	if p.Server.Disturbances != nil {
		list = append(list, &observer.Disturbances{Connect: r.steady, Ask: p.Server.Disturbances})
	}
	if r.commits != nil {
		list = append(list, r.commits)
	}
	if r.subject != nil {
		list = append(list, &observer.Doctor{Examine: r.examine})
	}
	return list
}

// examine makes the quick checks of sledge doctor, over a session of their own.
func (r *run) examine(ctx context.Context) job.Doctor {
	p, s := r.plan, r.subject
	if p.Server.Readings != nil {
		session, err := r.open(ctx, database.Owner, false)
		if err == nil {
			target.AddServer(ctx, s, p, session)
			target.CloseQuietly(&session)
		}
	}
	target.Unread(s, p.Database, errors.New("the server did not answer soon enough"))
	return doctor.Examine(ctx, s, target.Checks(p.Database), doctor.Options{Quick: true})
}

// samplers returns the observers that sample beside any run: those of the setup, of the client's
// machine, and of what the server does.
func (r *run) samplers() []observer.Observer {
	p, list := r.plan, slices.Clone(r.setup.Beside)
	if !p.Pacing.Kept.Samples {
		return list
	}
	for _, one := range r.setup.Agents {
		list = append(list, &observer.Agent{Saved: one, Found: func(h job.Host) { r.found(one, h) }})
	}
	refused := func(err error) bool { return p.Database.Sessions.Classify(err) == meter.Permission }
	lost := func(err error) bool { return p.Database.Sessions.Classify(err) == meter.Connection }
	mark := func(text string) { r.feed.Send(job.Event{User: p.Monitor(), Background: text}) }
	list = append(list, &observer.Machine{})
	if p.Server.Background != nil {
		list = append(list, &observer.Background{
			Connect: r.steady, List: p.Server.Background, Refused: refused,
			Mark: mark,
		})
	}
	if p.Server.Counters != nil {
		list = append(list, &observer.ServerCounters{
			Connect: r.steady, Read: p.Server.Counters, Rates: p.Server.CounterRates, Known: p.Database.Runs.Counters, Refused: refused, Lost: lost, Whole: p.Pacing.Finite,
		})
	}
	if p.Server.Statements != nil {
		list = append(list, &observer.Statements{
			Connect: r.steady, Ask: p.Server.Statements, Mask: p.Database.Runs.Mask(), Lost: lost, Whole: p.Pacing.Finite, ReadPlan: p.Database.Dialect.ReadPlan, Mark: mark,
		})
	}
	if len(p.Server.Activity) > 0 {
		list = append(list, &observer.Activity{
			Connect: r.watch, Ways: p.Server.Activity, Waits: p.Database.Runs.Waits, Refused: refused, Lost: lost, Masks: observer.NewMasker(p.Database.Runs.Mask()),
			Own: r.own.has, Whole: p.Pacing.Finite, Locate: r.locate(), Kinds: r.groups.kinds(),
		})
	}
	return list
}

// found adds a machine that the run watches to its facts.
func (r *run) found(watched agent.Saved, machine job.Host) {
	r.machines.Lock()
	machines := maps.Clone(r.facts.Machines) // watchers have the facts
	if machines == nil {
		machines = map[string]job.Host{}
	}
	machines[watched.Name] = machine
	r.facts.Machines = machines
	if at, _, err := net.SplitHostPort(watched.Address); err == nil && r.facts.ServerMachine == "" && target.IsServer(r.plan.Job, at) {
		r.facts.ServerMachine = watched.Name
	}
	facts := r.facts
	r.machines.Unlock() // watchers of the feed may ask for a machine
	r.feed.Send(job.Event{User: r.plan.Monitor(), Facts: &facts})
}

// machine returns the facts of a machine that the run samples.
func (r *run) machine(name string) job.Host {
	r.machines.Lock()
	defer r.machines.Unlock()
	if name == job.ClientMachine {
		return r.facts.Host
	}
	return r.facts.Machines[name]
}

// serverMachine returns the machine of the database's server, or "".
func (r *run) serverMachine() string {
	r.machines.Lock()
	defer r.machines.Unlock()
	return r.facts.ServerMachine
}

// steadyLoad reports whether users work as fast as they can, or pause as long, during the whole measured time.
func (r *run) steadyLoad() bool {
	changes := func(g *runGroup) bool { return g.arrivals != nil || g.Plan.Pacing.Finite || len(g.Plan.Steps) > 1 }
	return !slices.ContainsFunc(r.groups, changes)
}

// observe starts observers beside the run.
func (r *run) observe(ctx context.Context, list ...observer.Observer) {
	say := func(line string) { r.feed.Message(r.plan.Monitor(), "%s", line) }
	r.feed.Attend(&r.course)
	r.beside = observer.Begin(ctx, observer.NewAxis(r.feed.Send), say, list...)
}

// steady opens a session for an observer that the server's time-outs do not end.
func (r *run) steady(ctx context.Context) (database.Session, error) {
	return r.open(ctx, database.Owner, true)
}

// watch opens such a session that needs no schema.
func (r *run) watch(ctx context.Context) (database.Session, error) {
	return r.open(ctx, database.Watcher, true)
}

// open opens a session for an observer, and notes it as its own.
func (r *run) open(ctx context.Context, as database.Role, steady bool) (database.Session, error) {
	s, err := target.Connect(ctx, r.plan.Job, as)
	if err == nil && steady {
		s, err = target.Steady(ctx, r.plan.Job, s)
	}
	if err != nil {
		return nil, err
	}
	return r.own.note(ctx, r.plan.Job, s, as), nil
}

// locate returns the function that finds the transactions of the server's sessions, or nil if the IDs of
// sessions do not tell them: connections lead to several servers, or a pooler changes their sessions.
func (r *run) locate() func(context.Context, order.Sightings) (order.Located, error) {
	p := r.plan
	if p.Server.Name == nil || p.Pool != nil || len(p.Targets) > 1 {
		return nil
	}
	return r.link.generator.Locate
}

// keepLedger prepares the audit of acknowledged commits if the run keeps a ledger. It reads the
// state before the run over the session.
func (r *run) keepLedger(ctx context.Context, s database.Session) error {
	p := r.plan
	if !p.Pacing.Kept.Ledger {
		return nil
	}
	if g := r.groups[0]; g.silence.Share > 0 {
		return job.WithExit(job.ExitUsage, p.Spec.Names.Wrong("ledger", "true", "acknowledged commits are unknown here: %s", g.silence.Why))
	}
	auditor, err := p.Workload.Evidence.NewAuditor(ctx, s, p.SQL)
	if err != nil {
		return err
	}
	r.commits = &observer.Commits{
		Auditor: auditor, Acknowledged: r.groups[0].acknowledged,
		Connect: func(ctx context.Context) (s database.Session, err error) {
			err = r.counts.connectAgain(ctx, &s)
			return s, err
		},
		MayPass: func(err error) bool {
			class := p.Database.Sessions.Classify(err)
			return class == meter.Connection || class.Retryable()
		},
		Say: func(line string) { r.feed.Message(p.Monitor(), "%s", line) },
	}
	return nil
}

// serverCount returns the observers of a run without a monitor. One of them reads the server's own count.
func (r *run) serverCount() []observer.Observer {
	p, list := r.plan, r.samplers()
	if p.Server.Counter == nil {
		return list
	}
	return append(list, &observer.ServerCount{
		Connect: r.steady, Count: p.Server.Counter, Unit: p.Workload.Evidence.Throughput(),
		Flush: func(ctx context.Context) int64 {
			counted, _ := r.link.generator.Flush(ctx) // if it fails, the count includes a few flushes
			return counted.Flushed
		},
		Say: func(line string) { r.feed.Message(0, "%s", line) },
	})
}

// acknowledged yields the commits that the server has acknowledged. All users have ended.
func (g *runGroup) acknowledged() iter.Seq[workload.Commit] {
	return func(yield func(workload.Commit) bool) {
		for _, page := range g.totals.Commits {
			for _, one := range page {
				if !yield(one) {
					return
				}
			}
		}
	}
}
