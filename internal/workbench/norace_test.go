//go:build !race

package workbench_test

const underRace = false
