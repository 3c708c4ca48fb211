package chart

import (
	"regexp"
	"strconv"
)

// The colours of series on light and on dark pages: those of Masataka Okabe and Kei Ito,
// which people who are colour-blind can tell apart, too. The pages of the web application
// have the same, and by the same names.
var (
	Light = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#a39a00"}
	Dark  = []string{"#56b4e9", "#e69f00", "#2bc49a", "#e29dc4", "#4f9bd8", "#f2793a", "#f0e442"}
)

// places says what has the same colour in every chart.
var places = map[string]int{"server": 0, "client": 1, "p50": 2, "p95": 5, "p99": 1, "max": 3, "failed": 1}

var numbered = regexp.MustCompile(`(\d+)$`)

// Colour returns the place of a thing's colour in Light and in Dark, by the thing's name: the
// same thing has the same one in each chart. Of a name that ends with a number that decides.
func Colour(name string) int {
	if place, known := places[name]; known {
		return place
	}
	if last := numbered.FindString(name); last != "" {
		if n, err := strconv.Atoi(last); err == nil {
			return ((n-1)%len(Light) + len(Light)) % len(Light)
		}
	}
	sum := 0
	for _, r := range name {
		sum = (sum*31 + int(r)) % 1009
	}
	return sum % len(Light)
}
