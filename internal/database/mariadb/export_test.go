package mariadb

import (
	"testing"
	"time"
)

// RestoreWithin has a server that is gone given up sooner.
func RestoreWithin(t *testing.T, d time.Duration) {
	before := restoreWithin
	restoreWithin = d
	t.Cleanup(func() { restoreWithin = before })
}
