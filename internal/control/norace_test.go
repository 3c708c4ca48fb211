//go:build !race

package control_test

const underRace = false
