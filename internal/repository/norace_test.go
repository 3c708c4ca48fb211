//go:build !race

package repository

const underRace = false
