package database_test

import (
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/job"
)

// TestConnectError_IsShort simulates a server that refuses a login with a message of 20 MB.
func TestConnectError_IsShort(t *testing.T) {
	err := &database.ConnectError{Text: "connect to Db: " + strings.Repeat("x", 20_000_000)}
	if text := err.Error(); len(text) > job.LongestText || !strings.HasPrefix(text, "connect to Db: x") {
		t.Errorf("got %d bytes, want at most %d", len(text), job.LongestText)
	}
}
