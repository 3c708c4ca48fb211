package observer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/order"
	"sledge/internal/job"
)

// Activity samples several times a second which sessions of the server are active and what they wait
// for. Once a second it adds their mean numbers to series. If the user lacks the privilege, the result
// has no activity.
type Activity struct {
	Base
	Connect Connect
	Ways    []database.Activity // the best first
	Waits   database.Waits
	Mask    func(statement string) string // leaves values out
	Refused func(error) bool              // the user lacks the privilege
	Lost    func(error) bool              // the session is lost
	Own     func(id string) bool          // the session is an observer's
	Whole   bool                          // the whole run is measured

	// Locate finds the transactions of sessions; nil if sessions cannot be told apart. Kinds names the
	// kinds of transaction of all groups.
	Locate func(ctx context.Context, seen order.Sightings) (order.Located, error)
	Kinds  []string

	axis   Axis
	cancel func()
	done   chan struct{} // closed when the sampling has ended
	clock  serverClock

	way      *database.Activity // of the open session; nil until it is chosen
	locks    bool               // the way's Blocked is called
	asked    time.Time          // when it was called
	queued   map[string]queued  // the sessions that waited for a lock then, by ID
	programs map[string]string  // of the sessions before them, by ID

	mu        sync.Mutex
	second    tally             // since the last second
	measured  *tally            // of the measured time, until Report; nil before it
	over      bool              // the measured time is over
	seen      map[series]bool   // that have values in this run
	did       map[doing]bool    // what sessions did in this run
	err       error             // that ended the sampling
	masked    map[string]string // statements without their values
	splits    []split           // of the measured time, by kind; nil if the transactions are not known
	coarse    string            // what the samples do not tell, and why
	undivided string            // why the time of transactions cannot be divided
}

// queued is a session that waits for a lock.
type queued struct {
	statement, inner string // that it executes
	blockers         []string
}

// tally counts active sessions.
type tally struct {
	samples, missed int
	sessions        map[doing]int64
	joins           map[order.Join]int64 // clients' sessions
}

func newTally() tally {
	return tally{sessions: map[doing]int64{}, joins: map[order.Join]int64{}}
}

// doing is what an active session does.
type doing struct {
	class            database.WaitClass
	wait, background string
	statement, inner string
	transaction      string // kind of its transaction; "" if it has none, or if it is not known
	program          string // of a session that belongs to no user
	blocker          string // that holds the lock: the kind of its transaction, or the session
}

// sharesOf returns the numbers of sessions as shares.
func sharesOf(sessions map[doing]int64) []job.ActivityShare {
	shares := make(map[job.ActivityShare]int64, len(sessions))
	for d, n := range sessions {
		shares[job.ActivityShare{
			Class: string(d.class), Wait: d.wait, Background: d.background, Program: d.program, Transaction: d.transaction,
			Statement: d.statement, Inner: d.inner, Blocker: d.blocker,
		}] = n
	}
	return job.FoldShares(shares, mostShares)
}

// series identifies a series of active sessions.
type series struct {
	background bool
	class      database.WaitClass
}

const (
	// usualEvery is the time between two samples, unless they cost more than costly of a core; then it
	// is up to longestEvery.
	usualEvery   = 200 * time.Millisecond
	longestEvery = time.Second
	costly       = 0.005

	// blockedEvery is the time between two calls of Blocked. Until the next, a session that still
	// executes the same statement still waits.
	blockedEvery = 500 * time.Millisecond

	// answersWithin is the time limit of a sample.
	answersWithin = time.Second

	// mostUnable is the number of samples in turn that a server refuses, as an old release does that lacks
	// a column, before the sampling ends.
	mostUnable = 5

	mostShares     = 100    // in the result, and in a second
	mostStatements = 10_000 // that are kept apart
)

// Name implements Observer.
func (a *Activity) Name() string { return "The server's active sessions" }

// Begin implements Observer.
func (a *Activity) Begin(ctx context.Context, axis Axis) error {
	ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
	a.axis, a.done, a.seen, a.did, a.masked = axis, make(chan struct{}), map[series]bool{}, map[doing]bool{}, map[string]string{}
	if a.Whole {
		a.measured = new(newTally())
	}
	go a.sample(ctx)
	return nil
}

// sample samples until its context ends.
func (a *Activity) sample(ctx context.Context) {
	defer close(a.done)
	var s reopened
	defer func() { closeQuietly(&s.open) }()
	connect := func(ctx context.Context) (database.Session, error) {
		a.way = nil // the server may have started again with other settings
		return a.Connect(ctx)
	}
	var costs []time.Duration // of the newest samples
	unable := 0               // the number of samples without an answer until now, since the last one
	for due := time.Now(); ; {
		err := s.use(ctx, connect, func(s database.Session) error {
			if a.way == nil {
				if err := a.choose(ctx, s); err != nil {
					return err
				}
			}
			cost, err := a.take(ctx, s)
			if err == nil {
				costs = append(costs[max(0, len(costs)-9):], cost)
			}
			return err
		})
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			unable = 0
		case a.Refused(err):
			a.end(err)
			return
		default:
			a.miss(1)
			unable++
			_, lacks := errors.AsType[*lackingError](err)
			if lacks || unable >= mostUnable && !a.Lost(err) && !errors.Is(err, context.DeadlineExceeded) {
				a.end(err)
				return
			}
		}
		every := interval(costs)
		if a.way != nil {
			every = max(every, a.way.Every)
		}
		due = due.Add(every)
		if late := time.Since(due); late > 0 {
			missed := int(late/every) + 1
			a.miss(missed)
			due = due.Add(time.Duration(missed) * every)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(due)):
		}
	}
}

// lackingError says why a server offers no way to list its sessions.
type lackingError struct{ why string }

func (e *lackingError) Error() string { return e.why }

// choose chooses the first way that the server and the user's privileges allow. It notes why a better one is
// not used.
func (a *Activity) choose(ctx context.Context, s database.Session) error {
	ctx, stop := context.WithTimeout(ctx, answersWithin)
	defer stop()
	coarse := ""
	for i := range a.Ways {
		way := &a.Ways[i]
		lacking, err := reason(ctx, s, way.Lacking)
		if err == nil && lacking == "" && i < len(a.Ways)-1 {
			_, err = way.List(ctx, s) // the user may lack a privilege
		}
		switch {
		case err == nil && lacking == "":
			less, err := reason(ctx, s, way.Coarse)
			if err != nil {
				return err
			}
			a.use(way, cmp.Or(coarse, less))
			return nil
		case err == nil && i == len(a.Ways)-1:
			return &lackingError{lacking}
		case err == nil:
			coarse = cmp.Or(coarse, lacking)
		case a.Refused(err) && i < len(a.Ways)-1:
			coarse = cmp.Or(coarse, clean(err.Error()))
		default:
			return err
		}
	}
	return nil
}

// reason calls a function of a way, which may be nil.
func reason(ctx context.Context, s database.Session, ask func(context.Context, database.Session) (string, error)) (string, error) {
	if ask == nil {
		return "", nil
	}
	return ask(ctx, s)
}

// use notes the chosen way.
func (a *Activity) use(way *database.Activity, coarse string) {
	a.way, a.locks, a.asked = way, way.Blocked != nil, time.Time{}
	a.queued, a.programs = map[string]queued{}, map[string]string{}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.coarse, a.undivided = coarse, cmp.Or(a.undivided, way.Undivided)
}

// take takes a sample and returns what it has cost the server.
func (a *Activity) take(ctx context.Context, s database.Session) (time.Duration, error) {
	ctx, stop := context.WithTimeout(ctx, answersWithin)
	defer stop()
	began := time.Now()
	list, err := a.way.List(ctx, s)
	if err != nil {
		return 0, err
	}
	answered := time.Now()
	if a.locks && began.Sub(a.asked) >= blockedEvery && len(list) > 0 {
		a.asked = began
		blocked, err := a.way.Blocked(ctx, s)
		switch {
		case err != nil && a.Refused(err):
			a.locks = false
			a.hide()
		case err != nil:
			return 0, err
		}
		a.queue(list, blocked)
	}
	for i, one := range list {
		if at, waits := a.queued[one.ID]; waits && at.statement == one.Statement && at.inner == one.Inner {
			list[i].Blockers = at.blockers
			if class, _ := a.Waits.Class(one.Wait); class != database.WaitLock {
				list[i].Wait = database.RowLock
			}
		}
	}
	a.count(list, a.locate(ctx, list, began, answered))
	return costOf(list, answered.Sub(began)), nil
}

// queue notes which of the listed sessions wait for a lock.
func (a *Activity) queue(list []database.ActiveSession, blocked []database.Blocked) {
	clear(a.queued)
	clear(a.programs)
	for _, one := range blocked {
		at := a.queued[one.ID]
		if one.Blocker != "" {
			at.blockers = append(at.blockers, one.Blocker)
			a.programs[one.Blocker] = one.Program
		}
		a.queued[one.ID] = at
	}
	for _, one := range list {
		if at, waits := a.queued[one.ID]; waits {
			at.statement, at.inner = one.Statement, one.Inner
			a.queued[one.ID] = at
		}
	}
}

// costOf returns what a sample has cost the server: the time from its request to its last row by the server's
// clock, or at most the time until the answer.
func costOf(list []database.ActiveSession, took time.Duration) time.Duration {
	if len(list) == 0 || list[0].Asked.IsZero() {
		return took
	}
	return min(took, list[len(list)-1].Now.Sub(list[0].Asked))
}

// interval returns the time between two samples, given what the newest ones took. The quickest of them
// waited least for a core, so its time is the nearest to what a sample costs the server.
func interval(costs []time.Duration) time.Duration {
	every := usualEvery
	if len(costs) == 0 {
		return every
	}
	for cost := slices.Min(costs); every < longestEvery && cost.Seconds()/every.Seconds() > costly; {
		every *= 2
	}
	return min(every, longestEvery)
}

// hide notes that the user lacks the privilege to see all that its own sessions do.
func (a *Activity) hide() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.undivided = "the user may not see what its sessions wait for"
}

// count counts the sessions of a sample.
func (a *Activity) count(list []database.ActiveSession, found located) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tallies() {
		t.samples++
	}
	if a.measured != nil && !a.over {
		a.divide(list, found)
	}
	for i, one := range list {
		class, _ := a.Waits.Class(one.Wait)
		if class == database.WaitIdle || a.Own(one.ID) {
			continue
		}
		d := doing{class: class, wait: clean(one.Wait), statement: a.mask(one.Statement), inner: a.mask(one.Inner)}
		if len(one.Blockers) > 0 {
			d.blocker = found.blockers[one.ID]
		}
		switch {
		case one.Background:
			d.background, d.statement = clean(one.Program), ""
		case found.sessions != nil:
			d.transaction, d.program = a.ownerOf(one, found.sessions[i])
		}
		if !a.did[d] {
			if len(a.did) >= mostStatements {
				d.statement, d.inner = job.OtherTexts, ""
				if d.program != "" {
					d.program = job.OtherTexts
				}
			}
			a.did[d] = true
		}
		for _, t := range a.tallies() {
			t.sessions[d]++
			if found.sessions != nil && !one.Background {
				t.joins[found.sessions[i].Join]++
			}
		}
	}
}

// ownerOf returns the kind of transaction of a session, or the program of one that belongs to no user.
func (a *Activity) ownerOf(one database.ActiveSession, at order.Location) (transaction, program string) {
	switch {
	case at.Join == "":
		return "", cmp.Or(clean(one.Program), "unknown")
	case at.Join != order.NoTransaction && int(at.Kind) < len(a.Kinds):
		return a.Kinds[at.Kind], ""
	}
	return "", ""
}

// tallies returns those that are open. The caller holds mu.
func (a *Activity) tallies() []*tally {
	if a.second.sessions == nil {
		a.second = newTally()
	}
	if a.measured == nil || a.over {
		return []*tally{&a.second}
	}
	return []*tally{&a.second, a.measured}
}

func (a *Activity) miss(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tallies() {
		t.missed += n
	}
}

// end notes why the sampling has ended.
func (a *Activity) end(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// mask returns a statement in one line without its values, which may be private and would make equal
// statements different. The caller holds mu.
func (a *Activity) mask(statement string) string {
	masked, known := a.masked[statement]
	if !known {
		masked = clean(a.Mask(strings.ToValidUTF8(statement, "�")))
		if len(a.masked) < mostStatements {
			a.masked[statement] = masked
		}
	}
	return masked
}

// clean returns a text of the server in one line of valid UTF-8.
func clean(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " ")
}

// Sample implements Sampler. It adds the means of a second to the series. A second without a sample is
// a gap.
func (a *Activity) Sample(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.second
	a.second.samples, a.second.missed, a.second.sessions = 0, 0, nil
	a.foldSecond()
	if t.samples == 0 {
		if a.err != nil {
			return ErrOver
		}
		return nil
	}
	a.axis.send(job.Event{Activity: &job.ActivitySecond{Samples: t.samples, Missed: t.missed, Shares: sharesOf(t.sessions)}})
	counts := map[series]int64{}
	for d, n := range t.sessions {
		s := series{d.background != "", d.class}
		a.seen[s] = true
		counts[s] += n
	}
	var samples []job.Sample
	for _, class := range database.WaitClasses {
		for _, background := range []bool{false, true} {
			s := series{background, class}
			if !a.seen[s] {
				continue
			}
			name := job.ActiveSessions
			if background {
				name = job.ActiveBackground
			}
			samples = append(samples, job.Sample{
				Series: job.Series{Name: name, Labels: map[string]string{"class": string(class)}},
				Value:  float64(counts[s]) / float64(t.samples),
			})
		}
	}
	a.axis.Append(samples...)
	return nil
}

// Reach implements Observer.
func (a *Activity) Reach(_ context.Context, m Moment) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case m != RampUpOver:
		a.foldSecond()
		a.over = true
	case a.measured == nil:
		a.measured = new(newTally())
	}
	return nil
}

// End implements Observer.
func (a *Activity) End(ctx context.Context) error {
	a.cancel()
	select {
	case <-a.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Report implements Observer.
func (a *Activity) Report(result *job.Result) {
	if a.measured == nil || a.measured.samples == 0 {
		if a.err != nil && !a.Refused(a.err) {
			result.Unobserved = append(result.Unobserved, job.Unobserved{Observer: a.Name(), Error: a.err.Error()})
		}
		return
	}
	found := &job.Activity{Samples: a.measured.samples, Missed: a.measured.missed, Coarse: a.coarse, Shares: sharesOf(a.measured.sessions)}
	if a.splits != nil {
		found.Joined = a.joined()
		if found.Joined.Undivided = a.undivided; a.undivided == "" {
			found.Transactions = a.times(result)
		}
	}
	if a.err != nil {
		found.Error = a.err.Error()
	}
	result.Activity = found
}
