package redis

import (
	"testing"

	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

func TestSessions(t *testing.T) {
	databasetest.Run(t, Database, testserver.Open(t, "redis").Values())
}
