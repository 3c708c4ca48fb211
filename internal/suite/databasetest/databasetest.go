// Package databasetest runs, as Go tests, the suite that the sessions of every database must pass.
package databasetest

import (
	"testing"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/suite/sessions"
	"sledge/internal/suite/suitetest"
)

// Run tests database d on the server that values name.
func Run(t *testing.T, d *database.Database, values option.Values) {
	sessions.Run(suitetest.Of(t), sessions.Subject{Database: d, Values: values})
}

// Sessions tests the sessions of a subject, but not how it connects.
func Sessions(t *testing.T, of sessions.Subject) { sessions.Sessions(suitetest.Of(t), of) }

// Frozen tests that calls to a frozen server can be interrupted.
func Frozen(t *testing.T, d *database.Database, values option.Values, freeze, thaw func()) {
	sessions.Frozen(suitetest.Of(t), d, values, freeze, thaw)
}
