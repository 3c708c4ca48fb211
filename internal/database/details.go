package database

import (
	"context"
	"time"
)

// Details tells for people who the sessions of a server are, and which locks they wait for.
type Details struct {
	// Lacking returns what the user can do to see the sessions of all users, or "".
	Lacking func(ctx context.Context, s Session) (string, error)

	// Count returns the number of clients' sessions, with those that are idle, and their maximum.
	Count func(ctx context.Context, s Session) (connected, most int64, err error)

	// List describes the sessions that are not idle, and those with the given IDs.
	List func(ctx context.Context, s Session, ids []string) ([]SessionDetail, error)

	// LockWaits lists what the sessions that wait for a lock wait for. ActiveSession.Blockers has who holds
	// it. It costs the server more than the others, and needs more rights.
	LockWaits func(ctx context.Context, s Session) ([]LockWait, error)
}

// SessionDetail describes a session. What the server does not know or does not show is "" or zero.
type SessionDetail struct {
	ID        string // as in ActiveSession
	User      string
	Database  string
	Client    string    // its address
	State     string    // by the server's name: "idle in transaction"
	Since     time.Time // when that began, by the server's clock
	Statement string    // the current or the last one, at most 200 characters
}

// LockWait is the wait of a session for a lock.
type LockWait struct {
	Waiter string    // ID of the session
	Object string    // what is locked, in the server's words
	Since  time.Time // when the wait began, by the server's clock; zero if unknown
}
