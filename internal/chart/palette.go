package chart

import (
	"regexp"
	"strconv"
)

// The colours of series on light and on dark pages: the hues of Masataka Okabe and Kei Ito, which
// colour-blind people can distinguish, with enough contrast to the background. An index has the
// same hue in both lists. The web application's pages use the same colours and names.
var (
	Light = []string{"#0068b0", "#c45000", "#009e73", "#9c2f75", "#4482a9", "#6a4c1d", "#9c9337"}
	Dark  = []string{"#3f93dd", "#e8702f", "#4fe0b5", "#c9609c", "#9fd8fa", "#dfa52e", "#f5ee70"}
)

// places maps names to indices of Light and Dark, the same in every chart.
var places = map[string]int{"server": 0, "client": 1, "p50": 2, "p95": 0, "p99": 1, "max": 3, "failed": 1, "sent": 0, "received": 1}

var numbered = regexp.MustCompile(`(\d+)$`)

// Colour returns the index in Light and in Dark for a name, so that a name has the same colour in
// each chart. If a name ends with a number, the number decides.
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
