//go:build !race

package cli

const underRace = false
