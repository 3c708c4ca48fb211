package observer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sledge/internal/database"
)

// Sessions samples several times a second which sessions of a server are active. All functions are
// called in the goroutine of Sample.
type Sessions struct {
	Connect Connect
	Ways    []database.Activity // to list sessions, the best first
	Waits   database.Waits
	Refused func(error) bool // the user lacks the privilege
	Lost    func(error) bool // the session is lost

	// Chosen is called with the way that a new session uses, and with what its lists do not tell, and why;
	// "" if they tell all. Optional.
	Chosen func(way *database.Activity, coarse string)

	// Each receives each sample, and may use the session. After an error the session is closed.
	Each func(ctx context.Context, s database.Session, sample SessionSample) error

	// Miss receives the number of samples that could not be taken, and why; the reason is nil if the
	// server answered late.
	Miss func(n int, why error)

	// Hide is called if the user lacks the privilege to see which sessions wait for locks.
	Hide func(why error)
}

// SessionSample is a list of the active sessions of a server.
type SessionSample struct {
	Sessions []database.ActiveSession
	From, To time.Time         // when the list was requested and answered
	Programs map[string]string // of sessions for which others wait, by ID; "" if unknown
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
)

// Sample samples until its context ends. It returns an error if the server refuses to list its sessions.
func (o Sessions) Sample(ctx context.Context) error {
	var s reopened
	defer func() { closeQuietly(&s.open) }()
	var costs []time.Duration  // of the newest samples
	unable := 0                // the number of samples without an answer until now, since the last one
	var way *database.Activity // of the open session; nil until it is chosen
	var locks lockQueue
	connect := func(ctx context.Context) (database.Session, error) {
		way = nil // the server may have started again with other settings
		return o.Connect(ctx)
	}
	sample := func(s database.Session) (err error) {
		if way == nil {
			if way, err = o.choose(ctx, s); err != nil {
				return err
			}
			locks = lockQueue{ask: way.Blocked}
		}
		taken, err := o.take(ctx, s, way, &locks)
		if err != nil {
			return err
		}
		costs = append(costs[max(0, len(costs)-9):], costOf(taken.Sessions, taken.To.Sub(taken.From)))
		return o.Each(ctx, s, taken)
	}
	for due := time.Now(); ; {
		err := s.use(ctx, connect, sample)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			unable = 0
		case o.Refused(err):
			return err
		default:
			o.Miss(1, err)
			unable++
			_, lacks := errors.AsType[*lackingError](err)
			if lacks || unable >= mostUnable && !o.Lost(err) && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		}
		every := interval(costs)
		if way != nil {
			every = max(every, way.Every)
		}
		due = due.Add(every)
		if late := time.Since(due); late > 0 {
			missed := int(late/every) + 1
			o.Miss(missed, nil)
			due = due.Add(time.Duration(missed) * every)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(due)):
		}
	}
}

// lackingError says why a server offers no way to list its sessions.
type lackingError struct{ why string }

func (e *lackingError) Error() string { return e.why }

// choose returns the first way that the server and the user's privileges allow. It tells Chosen why a better
// one is not used.
func (o Sessions) choose(ctx context.Context, s database.Session) (*database.Activity, error) {
	ctx, stop := context.WithTimeout(ctx, answersWithin)
	defer stop()
	coarse := ""
	for i := range o.Ways {
		way, last := &o.Ways[i], i == len(o.Ways)-1
		lacking, err := reason(ctx, s, way.Lacking)
		if err == nil && lacking == "" && !last {
			_, err = way.List(ctx, s) // the user may lack a privilege
		}
		switch {
		case err == nil && lacking == "":
			less, err := reason(ctx, s, way.Coarse)
			if err == nil && o.Chosen != nil {
				o.Chosen(way, cmp.Or(coarse, less))
			}
			return way, err
		case err == nil && last:
			return nil, &lackingError{lacking}
		case err == nil:
			coarse = cmp.Or(coarse, lacking)
		case last || !o.Refused(err):
			return nil, err
		default:
			coarse = cmp.Or(coarse, clean(err.Error()))
		}
	}
	return nil, &lackingError{"there is no way to list sessions"}
}

// reason calls a function of a way, which may be nil.
func reason(ctx context.Context, s database.Session, ask func(context.Context, database.Session) (string, error)) (string, error) {
	if ask == nil {
		return "", nil
	}
	return ask(ctx, s)
}

// take takes a sample.
func (o Sessions) take(ctx context.Context, s database.Session, way *database.Activity, locks *lockQueue) (taken SessionSample, err error) {
	ctx, stop := context.WithTimeout(ctx, answersWithin)
	defer stop()
	taken.From = time.Now()
	if taken.Sessions, err = way.List(ctx, s); err != nil {
		return taken, err
	}
	taken.To = time.Now()
	if err = locks.read(ctx, s, taken); err != nil {
		if !o.Refused(err) {
			return taken, err
		}
		*locks = lockQueue{}
		o.Hide(err)
	}
	locks.mark(taken.Sessions, o.Waits)
	taken.Programs = locks.programs
	return taken, nil
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

// lockQueue has the sessions that wait for a lock, on servers that tell them apart from the list of sessions.
type lockQueue struct {
	ask      func(ctx context.Context, s database.Session) ([]database.Blocked, error) // nil if the list has them
	asked    time.Time
	waiters  map[string]queued // by ID
	programs map[string]string // of the sessions before them, by ID
}

// queued is a session that waits for a lock.
type queued struct {
	statement, inner string // that it executes
	blockers         []string
}

// read asks the server which of the listed sessions wait, if it is time to.
func (q *lockQueue) read(ctx context.Context, s database.Session, taken SessionSample) error {
	if q.ask == nil || taken.From.Sub(q.asked) < blockedEvery || len(taken.Sessions) == 0 { // the holder may be idle
		return nil
	}
	q.asked, q.waiters, q.programs = taken.From, map[string]queued{}, map[string]string{}
	blocked, err := q.ask(ctx, s)
	if err != nil {
		return err
	}
	for _, one := range blocked {
		at := q.waiters[one.ID]
		if one.Blocker != "" {
			at.blockers = append(at.blockers, one.Blocker)
			q.programs[one.Blocker] = one.Program
		}
		q.waiters[one.ID] = at
	}
	for _, one := range taken.Sessions {
		if at, waits := q.waiters[one.ID]; waits {
			at.statement, at.inner = one.Statement, one.Inner
			q.waiters[one.ID] = at
		}
	}
	return nil
}

// mark sets the blockers and the waits of those in a list that still execute the statement with which they
// waited.
func (q *lockQueue) mark(list []database.ActiveSession, waits database.Waits) {
	for i, one := range list {
		if at, waited := q.waiters[one.ID]; waited && at.statement == one.Statement && at.inner == one.Inner {
			list[i].Blockers = at.blockers
			if class, _ := waits.Class(one.Wait); class != database.WaitLock {
				list[i].Wait = database.RowLock
			}
		}
	}
}

// Masker replaces the values in statements, which may be private and would make equal statements
// different. It remembers the newest statements. Only one goroutine may use it at a time.
type Masker struct {
	mask   func(statement string) string
	masked map[string]string
}

// NewMasker returns a Masker that uses a function of database.Runs.Mask.
func NewMasker(mask func(statement string) string) *Masker {
	return &Masker{mask: mask, masked: map[string]string{}}
}

// Mask returns a statement in one line without its values.
func (m *Masker) Mask(statement string) string {
	masked, known := m.masked[statement]
	if !known {
		masked = clean(m.mask(strings.ToValidUTF8(statement, "�")))
		if len(m.masked) >= mostStatements {
			clear(m.masked)
		}
		m.masked[statement] = masked
	}
	return masked
}
