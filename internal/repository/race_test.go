//go:build race

package repository

// underRace says that the race detector is on. SQLite is Go code too, so each line that is
// written takes the detector a millisecond and more.
const underRace = true
