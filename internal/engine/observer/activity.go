package observer

import (
	"cmp"
	"context"
	"strings"
	"sync"

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
	Masks   *Masker              // used by the sampling only
	Refused func(error) bool     // the user lacks the privilege
	Lost    func(error) bool     // the session is lost
	Own     func(id string) bool // the session is an observer's
	Whole   bool                 // the whole run is measured

	// Locate finds the transactions of sessions; nil if sessions cannot be told apart. Kinds names the
	// kinds of transaction of all groups.
	Locate func(ctx context.Context, seen order.Sightings) (order.Located, error)
	Kinds  []string

	axis   Axis
	cancel func()
	done   chan struct{} // closed when the sampling has ended
	clock  serverClock

	mu        sync.Mutex
	second    tally           // since the last second
	measured  *tally          // of the measured time, until Report; nil before it
	over      bool            // the measured time is over
	seen      map[series]bool // that have values in this run
	did       map[doing]bool  // what sessions did in this run
	err       error           // that ended the sampling
	splits    []split         // of the measured time, by kind; nil if the transactions are not known
	coarse    string          // what the samples do not tell, and why
	undivided string          // why the time of transactions cannot be divided
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
	mostShares     = 100    // in the result, and in a second
	mostStatements = 10_000 // that are kept apart
)

// Name implements Observer.
func (a *Activity) Name() string { return "The server's active sessions" }

// Begin implements Observer.
func (a *Activity) Begin(ctx context.Context, axis Axis) error {
	ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
	a.axis, a.done, a.seen, a.did = axis, make(chan struct{}), map[series]bool{}, map[doing]bool{}
	if a.Whole {
		a.measured = new(newTally())
	}
	go a.sample(ctx)
	return nil
}

// sample samples until its context ends.
func (a *Activity) sample(ctx context.Context) {
	defer close(a.done)
	err := Sessions{
		Connect: a.Connect, Ways: a.Ways, Waits: a.Waits, Refused: a.Refused, Lost: a.Lost,
		Chosen: a.use, Each: a.count, Miss: a.miss, Hide: a.hide,
	}.Sample(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
}

// use notes the chosen way.
func (a *Activity) use(way *database.Activity, coarse string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.coarse, a.undivided = coarse, cmp.Or(a.undivided, way.Undivided)
}

// hide notes that the user lacks the privilege to see all that its own sessions do.
func (a *Activity) hide(error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.undivided = "the user may not see what its sessions wait for"
}

// count counts the sessions of a sample.
func (a *Activity) count(ctx context.Context, _ database.Session, sample SessionSample) error {
	found, list := a.locate(ctx, sample), sample.Sessions
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
		d := doing{class: class, wait: clean(one.Wait), statement: a.Masks.Mask(one.Statement), inner: a.Masks.Mask(one.Inner)}
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
				if d.blocker != "" {
					d.blocker = job.OtherTexts
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
	return nil
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

func (a *Activity) miss(n int, _ error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.tallies() {
		t.missed += n
	}
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
