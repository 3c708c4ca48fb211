// Package suite is the interface between a suite of tests and its runner, so that go test and
// the program itself run the same suite, also on servers that our tests do not reach. It knows
// no database and no workload; the suites are in the folders below.
package suite

import "context"

// T is one step of a suite. It is what a suite takes of a testing.T, with the same meaning:
// a step that failed goes on, one that failed for good ends, and those around it do not.
type T interface {
	// Run runs a part of the step as a step of its own and reports whether it succeeded.
	Run(name string, step func(t T)) bool

	// Errorf says what is wrong and goes on; Fatalf says it and ends the step, and may be
	// called by the goroutine of the step only.
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)

	// Skipf ends the step, which means nothing here, and says why.
	Skipf(format string, args ...any)

	// Logf logs details for debugging.
	Logf(format string, args ...any)

	// Cleanup has f called when the step and all its parts are over, the last one first.
	Cleanup(f func())

	// Context ends just before the step's clean-up begins.
	Context() context.Context

	// Helper marks the function that calls it as none whose line says where a fault is.
	Helper()
}
