package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/guptarohit/asciigraph"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/statistics"
	"sledge/internal/terminal"
)

// ProfileSchema names the format of Profile, as Schema does for Document.
const ProfileSchema = "sledge-profile-1"

// Profile has the runs of a performance profile, in the order in which they began.
type Profile struct {
	Schema  string     `json:"schema"` // always ProfileSchema
	Profile int        `json:"profile,omitempty"`
	Runs    []Document `json:"runs"`

	// Points summarize the successful runs for each number of virtual users, in ascending order.
	Points []ProfilePoint `json:"points"`

	// Scaling is the law by which the first figure grows with the users; missing unless six numbers of users
	// or more have three valid runs each.
	Scaling *statistics.Scaling `json:"scaling,omitempty"`
}

// ProfilePoint summarizes the runs of a profile that have the same number of virtual users.
type ProfilePoint struct {
	Users    int            `json:"users"`
	Runs     int            `json:"runs"`               // successful runs
	Metrics  []job.Metric   `json:"metrics"`            // means over the runs
	Repeated *Repeated      `json:"repeated,omitempty"` // of two runs or more
	Response *meter.Latency `json:"response,omitempty"` // of all their transactions together
}

// Repeated describes how the first figure of repeated runs varies.
type Repeated struct {
	Figure string `json:"figure"` // "NOPM"
	statistics.Summary
}

// FirstFigures returns the name of the first figure of runs, and its value in each run that is valid and
// has it.
func FirstFigures(runs []job.Job) (name string, values []float64) {
	for _, j := range runs {
		if !j.Status.Valid() || len(j.Result.Metrics) == 0 {
			continue
		}
		if name == "" {
			name = j.Result.Metrics[0].Name
		}
		if value, has := j.Result.Metric(name); has {
			values = append(values, value)
		}
	}
	return name, values
}

// repeated describes repeated runs. It returns nil for a single one.
func repeated(runs []job.Job) *Repeated {
	name, values := FirstFigures(runs)
	if len(values) < 2 {
		return nil
	}
	s, err := statistics.Summarize(values)
	if err != nil {
		return nil // figures that are not numbers say nothing
	}
	return &Repeated{name, s}
}

// String says how precise the median is: "NOPM of 10 runs: median 15,672, known to 1.2 % (95 % interval 15,503 to
// 15,860), from 15,310 to 15,940".
func (r Repeated) String() string {
	text := fmt.Sprintf("%s of %s: median %s", Printable(r.Figure), countRuns(r.Runs), figured(&r.Median))
	extent := fmt.Sprintf(", from %s to %s", figured(&r.Least), figured(&r.Most))
	switch {
	case r.Interval != nil && r.Precision != nil:
		return text + fmt.Sprintf(", known to %.1f %% (95 %% interval %s to %s)", 100**r.Precision, figured(&r.Interval.Low), figured(&r.Interval.High)) + extent
	case r.Trend || r.Dependent:
		return text + extent + ". The runs drift: each begins where the last one left the database, so the median has no interval. Restore it between them"
	}
	return text + extent + ". Few runs say little: 6 are the fewest with a 95 % interval"
}

// NewProfile makes the document of a profile. The runs are in order of age, the oldest first, with
// summaries in their results. document makes the document of one run.
func NewProfile(number int, runs []job.Job, document func(job.Job) Document) Profile {
	p := Profile{Schema: ProfileSchema, Profile: number, Runs: []Document{}}
	for _, j := range runs {
		p.Runs = append(p.Runs, document(j))
	}
	p.Points, p.Scaling = profilePoints(runs), scalingOf(runs)
	return p
}

// scalingOf returns the law by which the first figure grows with the users, or nil without enough runs.
func scalingOf(runs []job.Job) *statistics.Scaling {
	const fewest = 3 // runs of each number of users
	byUsers := map[int][]job.Job{}
	for _, j := range runs {
		byUsers[Users(j)] = append(byUsers[Users(j)], j)
	}
	figures := map[int][]float64{}
	for users, group := range byUsers {
		if _, values := FirstFigures(group); len(values) >= fewest {
			figures[users] = values
		}
	}
	s, err := statistics.FitScaling(figures)
	if err != nil {
		return nil
	}
	return &s
}

// scalingText says what the law means: "By the law of scaling, NOPM is highest with about 34 virtual users …".
func scalingText(figure string, s statistics.Scaling) string {
	if !s.Describes() {
		return fmt.Sprintf("The Universal Scalability Law does not describe how %s grows with the users: it is up to %.0f %% off.", Printable(figure), 100*s.Misfit)
	}
	text := fmt.Sprintf("By the Universal Scalability Law, %.2g %% of the work is done by one user at a time", 100*s.Contention)
	if s.Peak == nil {
		return text + ", and the throughput has no peak up to twice these numbers of users."
	}
	text += fmt.Sprintf(", and %s is highest with about %.0f virtual users", Printable(figure), *s.Peak)
	if i := s.PeakInterval; i != nil {
		text += fmt.Sprintf(" (%.0f to %.0f)", i.Low, i.High)
	}
	return text + fmt.Sprintf(": about %s.", figured(&s.PeakRate))
}

func profilePoints(runs []job.Job) []ProfilePoint {
	byUsers := map[int][]job.Job{}
	for _, j := range runs {
		if j.Status.Valid() && len(j.Result.Metrics) > 0 {
			byUsers[Users(j)] = append(byUsers[Users(j)], j)
		}
	}
	list := []ProfilePoint{}
	for _, users := range slices.Sorted(maps.Keys(byUsers)) {
		group := byUsers[users]
		point := ProfilePoint{Users: users, Runs: len(group), Metrics: []job.Metric{}}
		for _, m := range group[0].Result.Metrics {
			sum, n := 0.0, 0
			for _, j := range group {
				if value, has := j.Result.Metric(m.Name); has {
					sum, n = sum+value, n+1
				}
			}
			if n == len(group) {
				m.Value = sum / float64(n)
				point.Metrics = append(point.Metrics, m)
			}
		}
		point.Repeated = repeated(group)
		point.Response = responseOfAll(group)
		list = append(list, point)
	}
	return list
}

// responseOfAll returns the response times of all transactions of the runs; it merges histograms,
// never percentiles. It returns nil for runs whose transactions are few and long.
func responseOfAll(runs []job.Job) *meter.Latency {
	all := meter.NewSummary(1)
	for _, j := range runs {
		if len(j.Result.Spans) > 0 {
			return nil
		}
		one := j.Result.Summary.All()
		all.Add(meter.Summary{Kinds: []meter.Tally{one}})
	}
	return ResponseOf(all)
}

// ProfileComparisonSchema names the format of ProfileComparison.
const ProfileComparisonSchema = "sledge-profile-comparison-1"

// ProfileComparison holds several performance profiles, and the settings and surroundings that
// differ between them.
type ProfileComparison struct {
	Schema      string       `json:"schema"` // always ProfileComparisonSchema
	Profiles    []Profile    `json:"profiles"`
	Differences []Difference `json:"differences"` // each profile's value joins the distinct values of its runs
}

// CompareProfiles compares profiles. runs has the runs of each profile.
func CompareProfiles(profiles []Profile, runs [][]job.Job, unset func(j job.Job, option string) string) ProfileComparison {
	c := ProfileComparison{Schema: ProfileComparisonSchema, Profiles: profiles, Differences: []Difference{}}
	for _, d := range differences(runs, unset) {
		if d.Name != "users" { // the points show it
			c.Differences = append(c.Differences, d)
		}
	}
	return c
}

// Point holds the mean figures of the valid runs of a profile with one number of virtual users.
type Point struct {
	Users     int
	NOPM, TPM float64
}

// Points averages the valid runs for each number of virtual users, in ascending order. It leaves
// out runs that failed, were stopped or are invalid, because their figures are not comparable.
func Points(jobs []job.Job) []Point {
	type sum struct{ nopm, tpm, runs float64 }
	byUsers := map[int]sum{}
	for _, j := range jobs {
		orders, _ := j.Result.Metric("NOPM")
		transactions, ok := j.Result.Metric("TPM")
		if !j.Status.Valid() || !ok {
			continue
		}
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

// ProfileText shows the runs of a profile as a table, and, if there are two numbers of users or
// more, NOPM and TPM over the active virtual users as a chart. The text is at most width columns
// wide; 0 means no limit.
func ProfileText(jobs []job.Job, width int) string {
	b := page{View: View{Width: width}}
	if ofQueries := profileTable(&b, jobs); ofQueries {
		return b.text()
	}
	for i, point := range profilePoints(jobs) {
		if point.Repeated == nil {
			continue
		}
		if i == 0 {
			b.say(plain, "")
		}
		b.say(plain, "%s, %s", VirtualUsers(point.Users), point.Repeated)
	}
	if s := scalingOf(jobs); s != nil {
		name, _ := FirstFigures(jobs)
		b.say(plain, "%s", scalingText(name, *s))
	}
	if chart := chart(Points(jobs), width); chart != "" {
		b.say(plain, "\n%s", chart)
	}
	return terminal.Fold(b.text(), width)
}

// profileTable shows the runs of a profile as a table, and reports whether their transactions are
// few and long queries, which have other figures than NOPM and TPM.
func profileTable(b *page, jobs []job.Job) (ofQueries bool) {
	if of := slices.IndexFunc(jobs, func(j job.Job) bool { return len(j.Result.Spans) > 0 }); of >= 0 {
		figures(b, jobs, jobs[of].Result.Metrics)
		return true
	}
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
		if transactions, ok := j.Result.Metric("TPM"); ok {
			cells[2] = count(int64(transactions))
		}
		if orders, ok := j.Result.Metric("NOPM"); ok {
			cells[1] = count(int64(orders))
			cells[3] = count(int64(orders / float64(max(1, Users(j)))))
		}
		t.Row(cells...)
	}
	b.table(t)
	return false
}

// figures lists runs without NOPM and TPM with the first two of the given figures.
func figures(b *page, jobs []job.Job, of []job.Metric) {
	of = of[:min(len(of), 2)]
	t := terminal.Table{Columns: []terminal.Column{{Head: "users"}}}
	for _, m := range of {
		t.Columns = append(t.Columns, terminal.Column{Head: m.Name})
	}
	t.Columns = append(t.Columns, terminal.Column{Head: "status"}, terminal.Column{Head: "job", Short: ShortID})
	for _, j := range jobs {
		cells := []string{count(int64(Users(j)))}
		for _, m := range of {
			cell := "-"
			if i := slices.IndexFunc(j.Result.Metrics, func(own job.Metric) bool { return own.Name == m.Name }); i >= 0 {
				cell = Figure(j.Result.Metrics[i])
			}
			cells = append(cells, cell)
		}
		t.Row(append(cells, string(j.Status), string(j.ID))...)
	}
	b.table(t)
}

// ShortID returns the beginning of a job's ID that identifies it among millions: its start second
// and a few random digits.
func ShortID(id string) string {
	const digits = 12
	return id[:min(digits, len(id))]
}

// The size of the chart in characters, without its axis labels: it fits a terminal of 80 columns.
const (
	chartWidth  = 60
	chartHeight = 10
)

// chart draws NOPM and TPM over the numbers of active virtual users, or returns "" if there is only
// one number. The numbers are at equal distances because people usually double them; straight lines
// join them.
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
		const beside = 4 // the axis, and half of the last label
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

// Text writes the comparison for people: the differences, then a table for each figure by number of
// virtual users.
func (c ProfileComparison) Text(w io.Writer, v View) error {
	b := page{View: v}
	each := make([]string, len(c.Profiles))
	for i, p := range c.Profiles {
		each[i] = fmt.Sprintf("profile %d", p.Profile)
	}
	b.title("What differs", "")
	if len(c.Differences) == 0 {
		b.say(plain, "  Nothing but numbers of virtual users and notes, which are not compared: labels, options, seed, server, data and client are the same.")
	}
	for _, d := range c.Differences {
		b.say(plain, "  %s", Printable(d.Name))
		for i, value := range d.Values {
			b.say(plain, "    %s  %s", each[i], Printable(cmp.Or(value, "-")))
		}
	}
	users := map[int]bool{}
	var names []string
	for _, p := range c.Profiles {
		for _, point := range p.Points {
			users[point.Users] = true
			for _, m := range point.Metrics {
				names = append(names, m.Name)
			}
		}
	}
	for _, name := range append(distinct(names), "p95 in ms") {
		t := terminal.Table{Columns: []terminal.Column{{Head: "  users"}}}
		for _, head := range each {
			t.Columns = append(t.Columns, terminal.Column{Head: head})
		}
		for _, n := range slices.Sorted(maps.Keys(users)) {
			cells := []string{count(int64(n))}
			for _, p := range c.Profiles {
				cells = append(cells, p.figure(n, name))
			}
			t.Row(cells...)
		}
		b.title(Printable(name), "")
		b.table(t)
	}
	return b.write(w)
}

// figure formats a figure of the runs with a number of users; "-" if it is missing.
func (p Profile) figure(users int, name string) string {
	i := slices.IndexFunc(p.Points, func(point ProfilePoint) bool { return point.Users == users })
	if i < 0 {
		return "-"
	}
	for _, m := range p.Points[i].Metrics {
		if m.Name == name {
			return Short(m)
		}
	}
	if r := p.Points[i].Response; r != nil && name == "p95 in ms" {
		p95 := float64(r.P95)
		return figured(&p95)
	}
	return "-"
}
