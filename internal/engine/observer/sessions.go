package observer

import (
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
	Refused func(error) bool    // the user lacks the privilege
	Lost    func(error) bool    // the session is lost

	// Each receives each sample, and may use the session. After an error the session is closed.
	Each func(ctx context.Context, s database.Session, list []database.ActiveSession) error

	// Miss receives the number of samples that could not be taken, and why; the reason is nil if the
	// server answered late.
	Miss func(n int, why error)

	// Hide is called if the user lacks the privilege to see which sessions wait for locks.
	Hide func(why error)
}

// Sample samples until its context ends. It returns an error if the server refuses to list its sessions.
func (o Sessions) Sample(ctx context.Context) error {
	var s reopened
	defer func() { closeQuietly(&s.open) }()
	var costs []time.Duration // of the newest samples
	unable := 0               // the number of samples without an answer until now, since the last one
	var way *database.Activity
	var rows rowWaiters
	for due := time.Now(); ; {
		err := s.use(ctx, func(ctx context.Context) (database.Session, error) {
			way = nil // the server may have started again with other settings
			return o.Connect(ctx)
		}, func(s database.Session) (err error) {
			limited, stop := context.WithTimeout(ctx, answersWithin)
			defer stop()
			if way == nil {
				if way, err = o.choose(limited, s); err != nil {
					return err
				}
				rows = rowWaiters{ask: way.Blocked}
			}
			began := time.Now() // without the log-in
			list, err := way.List(limited, s)
			if err != nil {
				return err
			}
			costs = append(costs[max(0, len(costs)-9):], costOf(list, time.Since(began)))
			switch err := rows.mark(limited, s, list, began); {
			case err != nil && o.Refused(err):
				rows = rowWaiters{}
				o.Hide(err)
			case err != nil:
				return err
			}
			return o.Each(ctx, s, list)
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			unable = 0
		case o.Refused(err):
			return err
		default:
			o.Miss(1, err)
			if unable++; unable >= mostUnable && !o.Lost(err) && !errors.Is(err, context.DeadlineExceeded) {
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

// choose returns the first way that the server and the user's privileges allow.
func (o Sessions) choose(ctx context.Context, s database.Session) (*database.Activity, error) {
	for i := range o.Ways {
		way := &o.Ways[i]
		lacking, err := reason(ctx, s, way.Lacking)
		last := i == len(o.Ways)-1
		if err == nil && lacking == "" && !last {
			_, err = way.List(ctx, s) // the user may lack a privilege
		}
		switch {
		case err == nil && lacking == "":
			return way, nil
		case err == nil && last:
			return nil, &lackingError{lacking}
		case err != nil && (last || !o.Refused(err)):
			return nil, err
		}
	}
	return nil, &lackingError{"there is no way to list sessions"}
}

// rowWaiters marks the sessions that wait for a lock, on servers that tell them only by their list of locks.
type rowWaiters struct {
	ask     func(ctx context.Context, s database.Session) ([]database.Blocked, error) // nil marks none
	asked   time.Time                                                                 // when it was called
	waiting map[string]string                                                         // statements of the sessions that waited then, by ID
}

// mark sets the waits of such sessions. A session that executes the same statement as at the last call of
// ask still waits.
func (r *rowWaiters) mark(ctx context.Context, s database.Session, list []database.ActiveSession, now time.Time) error {
	if r.ask == nil {
		return nil
	}
	if now.Sub(r.asked) >= blockedEvery && len(list) > 0 { // the holder may be idle
		r.asked, r.waiting = now, map[string]string{}
		blocked, err := r.ask(ctx, s)
		if err != nil {
			return err
		}
		for _, one := range list {
			if slices.ContainsFunc(blocked, func(b database.Blocked) bool { return b.ID == one.ID }) {
				r.waiting[one.ID] = one.Statement
			}
		}
	}
	for i, one := range list {
		if statement, waits := r.waiting[one.ID]; waits && statement == one.Statement {
			list[i].Wait = database.RowLock
		}
	}
	return nil
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
