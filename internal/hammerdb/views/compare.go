package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/report"
)

// Comparison is how the runs of one profile did against those of another, at the
// numbers of virtual users that both have.
type Comparison struct {
	Lines []string // as HammerDB prints them
	Ratio float64  // what the compared profile has more, or with a minus less, as a share of the base
}

// Compare compares the mean NOPM of two profiles. With weights, a number of virtual
// users counts the more the more of them there are for each processor core, as in
// HammerDB: it takes half of the logical processors of the base's machine for its
// cores, and where they are not known it compares without weights and says so. It
// returns false when no number of users is in both.
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

// pair is one number of users that both profiles have.
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

// String is the ratio with its sign, to two decimals, or to four where two would
// hide that there is a difference.
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
