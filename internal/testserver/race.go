//go:build race

package testserver

// UnderRace reports whether the race detector is on. SQLite is also Go code, so with the detector
// it takes minutes to load or read a whole schema in SQLite.
const UnderRace = true
