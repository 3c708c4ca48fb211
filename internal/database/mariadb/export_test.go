package mariadb

import (
	"testing"
	"time"
)

// RestoreWithin shortens the wait for a lost server, until the test ends.
func RestoreWithin(t *testing.T, d time.Duration) {
	before := restoreWithin
	restoreWithin = d
	t.Cleanup(func() { restoreWithin = before })
}
