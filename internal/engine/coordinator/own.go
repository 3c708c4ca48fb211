package coordinator

import (
	"context"
	"sync"
	"sync/atomic"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
)

// ownSessions are the sessions of a run's observers.
type ownSessions struct {
	ids        sync.Map     // their IDs on the server
	statements atomic.Int64 // that they have executed in the schema's database, and their log-ins
}

// note notes a new session of an observer. It returns the session that counts its statements, if the server
// counts these as transactions.
func (o *ownSessions) note(ctx context.Context, j plan.Job, s database.Session, as database.Role) database.Session {
	if j.Server.CounterOwn > 0 && as != database.Watcher {
		o.statements.Add(1)
		s = ownSession{s, &o.statements}
	}
	if j.Server.Name != nil {
		if name, err := j.Server.Name(ctx, s); err == nil {
			o.ids.Store(database.SessionID(name), true)
		}
	}
	return s
}

// has reports whether a session of the server is one of an observer, by its ID.
func (o *ownSessions) has(id string) bool {
	_, own := o.ids.Load(id)
	return own
}

// ownSession counts the statements of a session.
type ownSession struct {
	database.Session
	statements *atomic.Int64
}

// Query implements database.Session.
func (s ownSession) Query(ctx context.Context, statement string, limit int) (database.Table, error) {
	s.statements.Add(1)
	return s.Session.Query(ctx, statement, limit)
}

// Exec implements database.Session.
func (s ownSession) Exec(ctx context.Context, statement string) error {
	s.statements.Add(1)
	return s.Session.Exec(ctx, statement)
}
