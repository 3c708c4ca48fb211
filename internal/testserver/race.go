//go:build race

package testserver

// UnderRace reports whether the race detector is on. SQLite is Go code too, so with the detector it
// takes minutes to load a schema into it or to read a whole schema.
const UnderRace = true
