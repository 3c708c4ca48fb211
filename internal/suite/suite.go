// Package suite is the interface between a suite of tests and its runner, so that go test and the
// program itself can run the same suite, even on servers that our tests cannot reach. It does not
// know databases or workloads. The suites are in the folders below.
package suite

import "context"

// T is a step of a suite. It is the part of testing.T that suites use, with the same meaning: a
// step continues after Error, and ends at Fatal or Skip. The steps around it continue.
type T interface {
	// Run runs a part of the step as a separate step, and reports whether it succeeded.
	Run(name string, step func(t T)) bool

	// Errorf reports an error, and the step continues. Fatalf reports an error and ends the step;
	// only the goroutine of the step may call it.
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)

	// Skipf ends the step with the reason why it does not apply here.
	Skipf(format string, args ...any)

	// Logf logs details for debugging.
	Logf(format string, args ...any)

	// Cleanup registers f to be called when the step and all its parts have ended. The last
	// registered function is called first.
	Cleanup(f func())

	// Context ends just before the step's clean-up begins.
	Context() context.Context

	// Helper marks the calling function as a helper, so that errors are reported at the line of its
	// caller.
	Helper()
}
