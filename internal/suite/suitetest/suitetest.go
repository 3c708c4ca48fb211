// Package suitetest runs suites as tests.
package suitetest

import (
	"testing"

	"sledge/internal/suite"
)

// Of returns the test t as a step of a suite.
func Of(t *testing.T) suite.T { return step{t} }

// Step returns a step of a suite as a test, for t.Run.
func Step(f func(t suite.T)) func(*testing.T) {
	return func(t *testing.T) { f(Of(t)) }
}

type step struct{ *testing.T }

// Run implements suite.T.
func (s step) Run(name string, f func(t suite.T)) bool { return s.T.Run(name, Step(f)) }
