//go:build !race

package testserver

// UnderRace says that the race detector is on: it is not.
const UnderRace = false
