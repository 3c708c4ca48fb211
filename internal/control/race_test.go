//go:build race

package control_test

// underRace says that the race detector is on. SQLite is Go code too, so the
// detector makes loading a schema into it take minutes.
const underRace = true
