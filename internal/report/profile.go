package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/guptarohit/asciigraph"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// ProfileSchema names the shape of Profile, as Schema does that of Document.
const ProfileSchema = "sledge-profile-1"

// Profile is the runs that share a profile's number, in the order in which they
// began.
type Profile struct {
	Schema  string     `json:"schema"` // always ProfileSchema
	Profile int        `json:"profile,omitempty"`
	Runs    []Document `json:"runs"`
}

// Point is what the runs of a profile with one number of virtual users achieved:
// the mean of those that succeeded.
type Point struct {
	Users     int
	NOPM, TPM float64
}

// Points sums up the runs that succeeded by their number of virtual users, the
// smallest first. A run that failed, was stopped or is not valid has no figures
// that may be compared.
func Points(jobs []job.Job) []Point {
	type sum struct{ nopm, tpm, runs float64 }
	byUsers := map[int]sum{}
	for _, j := range jobs {
		orders, ok := j.Result.Metric("NOPM")
		if j.Status != job.Succeeded || !ok {
			continue
		}
		transactions, _ := j.Result.Metric("TPM")
		s := byUsers[Users(j)]
		byUsers[Users(j)] = sum{s.nopm + orders, s.tpm + transactions, s.runs + 1}
	}
	var list []Point
	for _, n := range slices.Sorted(maps.Keys(byUsers)) {
		s := byUsers[n]
		list = append(list, Point{n, s.nopm / s.runs, s.tpm / s.runs})
	}
	return list
}

// ProfileText shows the runs of a profile as a table, and NOPM and TPM over the
// active virtual users as a chart once there are two numbers of users; in so many
// columns or, with 0, in as many as it takes.
func ProfileText(jobs []job.Job, width int) string {
	b := page{View: View{Width: width}}
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "users"},
		{Head: "NOPM"},
		{Head: "TPM"},
		{Head: "NOPM per user", Rank: 1},
		{Head: "status"},
		{Head: "job", Short: ShortID},
	}}
	for _, j := range jobs {
		cells := []string{count(int64(Users(j))), "-", "-", "-", string(j.Status), string(j.ID)}
		if orders, ok := j.Result.Metric("NOPM"); ok {
			transactions, _ := j.Result.Metric("TPM")
			cells[1], cells[2] = count(int64(orders)), count(int64(transactions))
			cells[3] = count(int64(orders / float64(max(1, Users(j)))))
		}
		t.Row(cells...)
	}
	b.table(t)
	if chart := chart(Points(jobs), width); chart != "" {
		fmt.Fprintf(&b, "\n%s\n", chart)
	}
	b.end()
	return terminal.Fold(b.String(), width)
}

// ShortID is as much of a job's ID as names it among some millions: the second it began
// in, and a few digits that are random.
func ShortID(id string) string {
	const digits = 12
	return id[:min(digits, len(id))]
}

// How large the chart is, in characters, without the numbers at its side: so that it
// fits a terminal of 80, or a narrower one.
const (
	chartWidth  = 60
	chartHeight = 10
)

// chart draws NOPM and TPM over the numbers of active virtual users that were run, or
// nothing where there is only one. They stand at equal distances, since people double
// them; between two of them it draws a straight line.
func chart(list []Point, width int) string {
	if len(list) < 2 {
		return ""
	}
	series := [][]float64{make([]float64, len(list)), make([]float64, len(list))}
	var most float64
	for i, p := range list {
		series[0][i], series[1][i] = p.NOPM, p.TPM
		most = max(most, p.NOPM, p.TPM)
	}
	wide := chartWidth
	if width > 0 {
		const beside = 4 // the axis, and half of the last number of users
		wide = max(10, min(wide, width-len(count(int64(most)))-beside))
	}
	last := len(list) - 1
	return asciigraph.PlotMany(series,
		asciigraph.Width(wide), asciigraph.Height(chartHeight), asciigraph.LowerBound(0),
		asciigraph.YAxisValueFormatter(func(v float64) string { return count(int64(math.Round(v))) }),
		asciigraph.SeriesChars(asciigraph.DefaultCharSet, asciigraph.CreateCharSet("*")),
		asciigraph.XAxisRange(0, float64(last)), asciigraph.XAxisTickCount(len(list)),
		asciigraph.XAxisValueFormatter(func(v float64) string { return count(int64(list[int(math.Round(v))].Users)) }),
		asciigraph.Caption("NOPM: line   TPM: stars   over active virtual users"))
}

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
	pairs := matching(Points(base), Points(compared))
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

func matching(base, compared []Point) []pair {
	var pairs []pair
	for _, b := range base {
		i, found := slices.BinarySearchFunc(compared, b.Users, func(p Point, users int) int { return cmp.Compare(p.Users, users) })
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
