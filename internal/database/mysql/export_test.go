package mysql

import "time"

// SetConnectTimeout sets how long an attempt to connect may take, until the function
// it returns is called.
func SetConnectTimeout(d time.Duration) (restore func()) {
	before := connectTimeout
	connectTimeout = d
	return func() { connectTimeout = before }
}
