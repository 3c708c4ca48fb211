package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/agent"
	"sledge/internal/database"
	"sledge/internal/engine/observer"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/top"
)

// Observing reads once a second what the sessions of a server do and how its machine is used. The load may
// come from any program. It changes nothing, and the schema need not exist.
type Observing struct {
	Job    plan.Job
	Agent  *agent.Saved // of the server's machine; nil without an agent
	Values bool         // whether statements keep their values, which may be private

	// Say receives a message if the server is another product than the chosen one. Each receives every
	// reading. Run calls both in its own goroutine.
	Say  func(line string)
	Each func(top.Reading)
}

// AgentOf returns the agent of the server's machine: of the agents of a plan, the one at the server's address.
// Without one it is the first if the user named the agents for this server, and otherwise nil: files and the
// environment may name agents of other machines.
func AgentOf(agents agent.List, p plan.Plan, named bool) (*agent.Saved, error) {
	list, err := watched(agents, p)
	for _, one := range list {
		if at, _, err := net.SplitHostPort(one.Address); err == nil && target.IsServer(p.Job, at) {
			return &one, nil
		}
	}
	if len(list) > 0 && named {
		return &list[0], nil
	}
	return nil, err
}

// ErrNoSessions means that Sledge cannot list the active sessions of a database.
var ErrNoSessions = errors.New("the active sessions cannot be listed")

// Run reads until the context ends. It returns an error if it cannot connect at first; a server that is lost
// later is a gap, and is tried again.
func (o Observing) Run(ctx context.Context) error {
	if len(o.Job.Server.Activity) == 0 || o.Job.Server.Details == nil {
		return fmt.Errorf("%w: %s", ErrNoSessions, o.Job.Database.Title)
	}
	w := &observing{
		Observing: o, masks: observer.NewMasker(o.mask()), own: map[string]bool{},
		server: top.Server{Title: o.Job.Database.Title, Target: o.Job.Database.Options.Target(o.Job.Connection)}, missing: map[top.Part]string{},
	}
	limited, stop := context.WithTimeoutCause(ctx, target.Patience, fmt.Errorf("the server did not answer within %s", target.Patience))
	first, err := w.connect(limited)
	if err == nil {
		var product string
		if product, err = target.OtherProduct(limited, o.Job, first); product != "" {
			o.Say(target.AnsweredBy(o.Job, product))
		}
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = context.Cause(limited)
	}
	stop()
	if err != nil {
		target.CloseQuietly(&first)
		return err
	}
	w.first = first
	var parts sync.WaitGroup
	defer parts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts.Go(func() { w.sample(ctx) })
	parts.Go(func() { w.readStatements(ctx) })
	machine := w.machine(ctx, &parts)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-second.C:
		}
		r := w.reading(time.Now())
		machine(&r)
		o.Each(r)
	}
}

// mask returns the function that statements are shown by.
func (o Observing) mask() func(string) string {
	if o.Values {
		return func(statement string) string { return statement }
	}
	return o.Job.Database.Runs.Mask()
}

// observing is the state of Observing.Run.
type observing struct {
	Observing
	first database.Session // that connected first, until the sampling takes it

	masks *observer.Masker // used by the sampling only
	read  time.Time        // when the details were read; used by the sampling only

	mu         sync.Mutex
	server     top.Server
	own        map[string]bool // IDs of sessions of Sledge's
	missing    map[top.Part]string
	why        string // why the last sample is missing
	samples    int    // of the current second, as the others below
	missed     int
	shares     map[job.ActivityShare]int64 // with Sessions 0
	sessions   []top.Session
	locks      []top.Lock
	connected  *top.Connected
	statements *job.Statements
}

// connect opens a session that lists the sessions of all users, if there is an account that may, and reads the
// server's version.
func (w *observing) connect(ctx context.Context) (database.Session, error) {
	s, err := target.Connect(ctx, w.Job, database.Admin)
	if err != nil {
		s, err = target.Connect(ctx, w.Job, database.Watcher)
	}
	if err == nil {
		s, err = target.Steady(ctx, w.Job, s)
	}
	if err != nil {
		return nil, err
	}
	version, err := w.Job.Server.Version(ctx, s)
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("ask for the server's version: %w", err)
	}
	lacking, err := w.Job.Server.Details.Lacking(ctx, s)
	if err != nil {
		lacking = job.Cut(err.Error(), job.LongestText)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.server.Version = version
	w.lack(top.PartSessions, lacking)
	return s, nil
}

// lack notes why a part is missing; "" means that it is not. The caller holds mu.
func (w *observing) lack(part top.Part, why string) {
	if delete(w.missing, part); why != "" {
		w.missing[part] = why
	}
}

// retryAfter is the time until the server is asked again for what it refused.
const retryAfter = 5 * time.Second

// sample samples the active sessions until the context ends.
func (w *observing) sample(ctx context.Context) {
	defer func() { target.CloseQuietly(&w.first) }()
	classify := w.Job.Database.Sessions.Classify
	for ctx.Err() == nil {
		err := observer.Sessions{
			Connect: func(ctx context.Context) (s database.Session, err error) {
				if s, w.first = w.first, nil; s != nil {
					return s, nil
				}
				return w.connect(ctx)
			},
			Ways:    w.Job.Server.Activity,
			Waits:   w.Job.Database.Runs.Waits,
			Refused: func(err error) bool { return classify(err) == meter.Permission },
			Lost:    func(err error) bool { return classify(err) == meter.Connection },
			Each:    w.each,
			Miss: func(n int, why error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				if w.missed += n; why != nil {
					w.why = why.Error()
				}
			},
			Hide: func(why error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.lack(top.PartLocks, "waits for rows look like CPU: "+why.Error())
			},
		}.Sample(ctx)
		if err != nil {
			w.mu.Lock()
			w.why = err.Error()
			w.mu.Unlock()
		}
		_ = target.Pause(ctx, retryAfter)
	}
}

// each adds a sample to the current second. Once a second, it also reads the details of the sessions.
func (w *observing) each(ctx context.Context, s database.Session, sample observer.SessionSample) error {
	const detailsWithin = time.Second
	list := sample.Sessions
	var found details
	due := time.Since(w.read) >= time.Second-50*time.Millisecond // a sample may be a little early
	if due {
		w.read = time.Now()
		limited, stop := context.WithTimeout(ctx, detailsWithin)
		defer stop()
		var err error
		if found, err = w.details(limited, s, list); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.samples++
	w.why = ""
	if w.shares == nil {
		w.shares = map[job.ActivityShare]int64{}
	}
	var sessions []top.Session
	for _, one := range list {
		class, _ := w.Job.Database.Runs.Waits.Class(one.Wait)
		if class == database.WaitIdle || w.own[one.ID] {
			continue
		}
		share := job.ActivityShare{Class: string(class), Wait: one.Wait, Statement: w.masks.Mask(one.Statement)}
		if one.Background {
			share.Background, share.Statement = one.Program, ""
		}
		w.shares[share]++
		if due {
			sessions = append(sessions, found.session(one, class, share.Statement))
		}
	}
	if due {
		w.sessions, w.locks, w.connected = append(sessions, found.holders(sessions, w.masks.Mask)...), found.locks, found.connected
		slices.SortStableFunc(w.sessions, func(a, b top.Session) int { return cmp.Compare(seconds(b), seconds(a)) })
		if found.refused != "" {
			w.lack(top.PartLocks, found.refused)
		} else if found.asked {
			w.lack(top.PartLocks, "")
		}
	}
	return nil
}

// seconds returns for how long a session has done what it does, or 0.
func seconds(s top.Session) float64 {
	if s.Seconds == nil {
		return 0
	}
	return *s.Seconds
}

// details are the details of the sessions of a sample.
type details struct {
	now       time.Time // by the server's clock; zero if unknown
	byID      map[string]database.SessionDetail
	locks     []top.Lock
	asked     bool   // whether the server was asked for waits for locks
	refused   string // why it did not tell them
	connected *top.Connected
}

// details reads them. Only a lost session is an error.
func (w *observing) details(ctx context.Context, s database.Session, list []database.ActiveSession) (found details, err error) {
	ask := w.Job.Server.Details
	found.byID = map[string]database.SessionDetail{}
	waits := false
	for _, one := range list {
		found.now = one.Now
		class, _ := w.Job.Database.Runs.Waits.Class(one.Wait)
		waits = waits || class == database.WaitLock
	}
	var holders []string
	if waits {
		found.asked = true
		locks, err := ask.LockWaits(ctx, s)
		switch {
		case err != nil && w.Job.Database.Sessions.Classify(err) == meter.Connection || ctx.Err() != nil:
			return found, cmp.Or(err, ctx.Err())
		case err != nil:
			found.refused = err.Error()
		}
		waiting := map[string]database.LockWait{}
		for _, l := range locks {
			waiting[l.Waiter] = l
		}
		seen := map[string]bool{}
		for _, one := range list {
			if one.Wait == database.RowLock && len(one.Blockers) == 0 && found.refused == "" {
				found.refused = "the server does not tell this user who holds the locks"
			}
			for _, holder := range one.Blockers {
				l := waiting[one.ID]
				found.locks = append(found.locks, top.Lock{Waiter: one.ID, Holder: holder, Object: l.Object, Seconds: found.since(l.Since)})
				if !seen[holder] {
					seen[holder] = true
					holders = append(holders, holder)
				}
			}
		}
	}
	all, err := ask.List(ctx, s, holders)
	if err != nil {
		return found, err
	}
	for _, one := range all {
		found.byID[one.ID] = one
	}
	now, most, err := ask.Count(ctx, s)
	if err != nil {
		return found, err
	}
	found.connected = &top.Connected{Now: now, Most: most}
	return found, nil
}

// since returns the seconds since a time by the server's clock, or nil if it is unknown.
func (d details) since(at time.Time) *float64 {
	if at.IsZero() || d.now.IsZero() {
		return nil
	}
	passed := max(0, d.now.Sub(at).Round(time.Millisecond).Seconds())
	return &passed
}

// session describes a session of a sample.
func (d details) session(one database.ActiveSession, class database.WaitClass, statement string) top.Session {
	s := top.Session{ID: one.ID, Background: one.Background, Program: one.Program, Class: class, Wait: one.Wait, Statement: statement, Seconds: d.since(one.Since)}
	if more, known := d.byID[one.ID]; known {
		s.User, s.Database, s.Client, s.State = more.User, more.Database, more.Client, more.State
		if s.Program == s.User { // the server does not know the program
			s.Program = ""
		}
		if s.Seconds == nil {
			s.Seconds = d.since(more.Since)
		}
	}
	return s
}

// holders describes the holders of locks that are not in the sample, because they are idle.
func (d details) holders(sample []top.Session, mask func(string) string) (list []top.Session) {
	seen := map[string]bool{}
	for _, s := range sample {
		seen[s.ID] = true
	}
	for _, l := range d.locks {
		more, known := d.byID[l.Holder]
		if !known || seen[l.Holder] {
			continue
		}
		seen[l.Holder] = true
		list = append(list, top.Session{
			ID: more.ID, Idle: true, User: more.User, Database: more.Database, Client: more.Client, State: more.State,
			Statement: mask(more.Statement), Seconds: d.since(more.Since),
		})
	}
	return list
}

// mostShares is the number of shares of a second that are kept apart.
const mostShares = 250

// reading returns the reading of the second that ends now.
func (w *observing) reading(now time.Time) top.Reading {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := top.Reading{At: now.Round(0), Server: w.server, Samples: w.samples, Missed: w.missed, Statements: w.statements, Missing: maps.Clone(w.missing)}
	switch {
	case w.samples == 0 && w.why == "":
		r.Gap = "the server did not answer"
	case w.samples == 0:
		r.Gap = w.why
	default:
		r.Shares = job.FoldShares(w.shares, mostShares)
		r.Sessions, r.Locks, r.Connected = w.sessions, w.locks, w.connected
	}
	w.samples, w.missed, w.shares, w.statements = 0, 0, nil, nil
	w.sessions = slices.Clone(w.sessions) // the reading may be changed
	w.locks = slices.Clone(w.locks)
	return r
}

// statementsEvery is the time between two readings of the server's statistics of statements, which may
// have thousands of rows.
const statementsEvery = 5 * time.Second

// readStatements reads the server's statistics of statements until the context ends.
func (w *observing) readStatements(ctx context.Context) {
	ask := w.Job.Server.Statements
	if ask == nil {
		w.lackStatements(w.Job.Database.Title + " keeps no statistics of statements that Sledge reads")
		return
	}
	recent := observer.RecentStatements{Ask: ask, Mask: observer.NewMasker(w.mask()).Mask}
	var s database.Session
	defer func() { target.CloseQuietly(&s) }()
	for ctx.Err() == nil {
		err := func() error {
			limited, stop := context.WithTimeout(ctx, statementsEvery)
			defer stop()
			if s == nil {
				recent = observer.RecentStatements{Ask: ask, Mask: recent.Mask}
				var err error
				if s, err = w.connectStatements(limited); err != nil {
					return err
				}
			}
			if ask.Lacking != nil {
				if why, err := ask.Lacking(limited, s); err != nil || why != "" {
					return cmp.Or(err, errors.New(why))
				}
			}
			found, err := recent.Read(limited, s)
			if err == nil && found != nil {
				w.mu.Lock()
				w.statements = found
				w.mu.Unlock()
			}
			return err
		}()
		why := ""
		if err != nil {
			why = err.Error()
			target.CloseQuietly(&s)
		}
		w.lackStatements(why)
		_ = target.Pause(ctx, statementsEvery)
	}
}

func (w *observing) lackStatements(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lack(top.PartStatements, why)
}

// connectStatements opens a session in the database whose statements are read.
func (w *observing) connectStatements(ctx context.Context) (database.Session, error) {
	s, err := target.ConnectSteady(ctx, w.Job)
	if err != nil && !errors.Is(err, database.ErrMissing) {
		if s, err = target.Connect(ctx, w.Job, database.Observer); err == nil {
			s, err = target.Steady(ctx, w.Job, s)
		}
	}
	if errors.Is(err, database.ErrMissing) {
		return nil, fmt.Errorf("%w: name the database with --dbname", err)
	}
	if err != nil {
		return nil, err
	}
	if w.Job.Server.Name != nil {
		name, err := w.Job.Server.Name(ctx, s)
		if err != nil {
			_ = s.Close()
			return nil, err
		}
		w.mu.Lock()
		w.own[database.SessionID(name)] = true
		w.mu.Unlock()
	}
	return s, nil
}

// machine returns a function that adds the use of the server's machine to a reading.
func (w *observing) machine(ctx context.Context, parts *sync.WaitGroup) func(*top.Reading) {
	lack := func(r *top.Reading, why string) {
		if r.Missing == nil {
			r.Missing = map[top.Part]string{}
		}
		r.Missing[top.PartHost] = why
	}
	switch {
	case w.Agent != nil:
		m := &distantMachine{client: agent.NewClient(*w.Agent), why: "the agent has not answered yet"}
		parts.Go(func() { m.poll(ctx) })
		return func(r *top.Reading) {
			m.mu.Lock()
			defer m.mu.Unlock()
			r.Server.Host, r.CPUs = w.Agent.Name, m.cpus
			if m.why != "" || r.At.Sub(m.at) > 2500*time.Millisecond {
				lack(r, strings.TrimSpace("agent "+w.Agent.Name+": "+cmp.Or(m.why, "no reading for 2.5 s")))
				return
			}
			r.Host = slices.Clone(m.samples)
		}
	case target.RunsOnThisMachine(w.Job):
		sampler, cpus := host.NewMachineSampler(), host.This().CPUs
		return func(r *top.Reading) {
			samples, err := sampler.Sample()
			r.Server.Host, r.CPUs, r.Host = "this machine", cpus, samples
			if err != nil {
				lack(r, err.Error())
			}
		}
	}
	return func(r *top.Reading) {
		lack(r, "no process of the server is visible on this machine: start sledge agent on the server's machine, and name it with --agent")
	}
}

// distantMachine is a machine that an agent samples.
type distantMachine struct {
	client *agent.Client

	mu      sync.Mutex
	cpus    int // 0 if unknown
	at      time.Time
	samples []job.Sample // the newest
	why     string       // why there are no samples
}

// poll polls the agent until the context ends.
func (m *distantMachine) poll(ctx context.Context) {
	defer m.client.Close()
	for ctx.Err() == nil {
		poll, err := m.client.Poll(ctx)
		m.mu.Lock()
		if poll.Host != nil {
			m.cpus = poll.Host.CPUs
		}
		if n := len(poll.Readings); n > 0 {
			m.at, m.samples, m.why = poll.Readings[n-1].At, poll.Readings[n-1].Samples, ""
		}
		if err != nil {
			m.why = err.Error()
		}
		m.mu.Unlock()
		_ = target.Pause(ctx, max(time.Second, poll.Pause))
	}
}
