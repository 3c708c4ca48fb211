package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/report"
)

// Comparison compares the runs of two profiles at the numbers of virtual users that both have.
type Comparison struct {
	Lines []string // HammerDB's lines
	Ratio float64  // difference of the compared profile from the base, as a share of the base
}

// Compare compares the mean NOPM of two profiles. If weighted is true, each number of virtual users
// has a weight that grows with the users per core, as in HammerDB. Half of the logical processors
// of the base's machine count as cores; if their number is unknown, Compare does not weight, and
// adds a line about it. It returns false if the profiles have no number of users in common.
func Compare(base, compared []job.Job, weighted bool, processors int) (Comparison, bool) {
	pairs := matching(report.Points(base), report.Points(compared))
	if len(pairs) == 0 {
		return Comparison{}, false
	}
	plainBase, plainCompared := means(pairs, func(int) float64 { return 1 })
	c := Comparison{Ratio: ratio(plainBase, plainCompared), Lines: []string{fmt.Sprintf(
		"Profiles compared (unweighted): matched=%d, avg_base=%.2f, avg_comp=%.2f", len(pairs), plainBase, plainCompared)}}
	switch {
	case !weighted:
		return c, true
	case processors < 1:
		c.Lines = append(c.Lines, "The number of processors of the base is not known: profiles compared without weights")
		return c, true
	}
	cores := (processors + 1) / 2
	weightedBase, weightedCompared := means(pairs, func(users int) float64 { return max(1, float64(users)/float64(cores)) })
	c.Ratio = ratio(weightedBase, weightedCompared)
	c.Lines = append(c.Lines, fmt.Sprintf("Profiles compared (weighted linear, no cap): matched=%d, phys_cores=%d, avg_base=%.2f, avg_comp=%.2f",
		len(pairs), cores, weightedBase, weightedCompared))
	return c, true
}

// pair holds the NOPM of two profiles at one number of users.
type pair struct {
	users          int
	base, compared float64
}

func matching(base, compared []report.Point) []pair {
	var pairs []pair
	for _, b := range base {
		i, found := slices.BinarySearchFunc(compared, b.Users, func(p report.Point, users int) int { return cmp.Compare(p.Users, users) })
		if found {
			pairs = append(pairs, pair{b.Users, b.NOPM, compared[i].NOPM})
		}
	}
	return pairs
}

func means(pairs []pair, weight func(users int) float64) (base, compared float64) {
	var weights float64
	for _, p := range pairs {
		w := weight(p.users)
		base, compared, weights = base+w*p.base, compared+w*p.compared, weights+w
	}
	return base / weights, compared / weights
}

func ratio(base, compared float64) float64 {
	if base == 0 {
		return 0
	}
	return (compared - base) / base
}

// String returns the ratio with its sign and two decimals, or four decimals if two would round a
// difference to zero.
func (c Comparison) String() string {
	signed := func(decimals int) string { return fmt.Sprintf("%+.*f", decimals, c.Ratio) }
	isZero := func(text string) bool { return strings.Trim(text, "+-0.") == "" }
	switch {
	case !isZero(signed(2)):
		return signed(2)
	case !isZero(signed(4)):
		return signed(4)
	}
	return "0.00"
}
