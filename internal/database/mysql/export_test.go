package mysql

import (
	"time"

	"sledge/internal/database"
)

// SetConnectTimeout sets how long an attempt to connect may take, until the function
// it returns is called.
func SetConnectTimeout(d time.Duration) (restore func()) {
	before := connectTimeout
	connectTimeout = d
	return func() { connectTimeout = before }
}

// Age makes a session older than it is.
func Age(s database.Session, by time.Duration) { s.(*session).since = s.(*session).since.Add(-by) }
