package mysql

import (
	"time"

	"sledge/internal/database"
)

// SetConnectTimeout sets the time limit for connecting, until restore is called.
func SetConnectTimeout(d time.Duration) (restore func()) {
	before := connectTimeout
	connectTimeout = d
	return func() { connectTimeout = before }
}

// Age moves the start of a session into the past.
func Age(s database.Session, by time.Duration) { s.(*session).since = s.(*session).since.Add(-by) }

// Beginning returns the part of a request that identifies its answer in a recording.
func Beginning(request []byte) []byte { return beginning(request) }
