//go:build race

package testserver

// UnderRace says that the race detector is on. SQLite is Go code too, so the detector makes loading
// a schema into it, or reading one whole, take minutes.
const UnderRace = true
