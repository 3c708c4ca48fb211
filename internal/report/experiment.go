package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize/english"

	"sledge/internal/job"
	"sledge/internal/statistics"
	"sledge/internal/terminal"
)

// ExperimentSchema names the format of Experiment, as Schema does for Document.
const ExperimentSchema = "sledge-experiment-1"

// Experiment holds the runs of an experiment by their cells.
type Experiment struct {
	Schema  string           `json:"schema"` // always ExperimentSchema
	Name    string           `json:"name"`
	Figure  string           `json:"figure,omitempty"` // the first figure of the runs: "NOPM"; missing without a valid run
	Factors []string         `json:"factors"`
	Cells   []ExperimentCell `json:"cells"`
	Effects []Effect         `json:"effects"`

	Interactions []Interaction `json:"interactions,omitempty"` // of each two factors, the strongest first
}

// ExperimentCell holds the runs with one combination of values.
type ExperimentCell struct {
	Values []string            `json:"values"` // in the order of the factors
	Runs   []job.ID            `json:"runs"`   // all, the oldest first
	Failed int                 `json:"failed,omitempty"`
	Result *statistics.Summary `json:"result,omitempty"` // of the first figure in the valid runs; missing without one
	P99    *float64            `json:"p99_ms,omitempty"` // median over the valid runs of the 99th percentile of all response times

	// NotDurable is why a power failure may lose commits with the server's settings in this cell; "" if it
	// may not, or if that is not known.
	NotDurable string `json:"not_durable,omitempty"`
}

// Effect is the ratio of the first figure with one value of a factor to that with its first value, as the
// geometric mean over the pairs of cells that differ in this factor only. It is described, not tested.
type Effect struct {
	Factor string  `json:"factor"`
	Value  string  `json:"value"`
	Base   string  `json:"base"` // the first value
	Ratio  float64 `json:"ratio"`
	Least  float64 `json:"least"` // over the pairs
	Most   float64 `json:"most"`
	Pairs  int     `json:"pairs"`
}

// Interaction says how much the effect of a factor depends on another one: the ratio of its effect where the other has a
// value to its effect where the other has its first value, as the geometric mean over the groups of four cells that
// differ in these two factors only. 1 means that the effects are independent. It is described, not tested.
type Interaction struct {
	Factor    string  `json:"factor"`
	Value     string  `json:"value"`
	Base      string  `json:"base"` // the first value
	With      string  `json:"with"` // the other factor
	WithValue string  `json:"with_value"`
	WithBase  string  `json:"with_base"`
	Ratio     float64 `json:"ratio"`
	Least     float64 `json:"least"` // over the groups
	Most      float64 `json:"most"`
	Groups    int     `json:"groups"`
}

// NewExperiment makes the document of an experiment from its runs, the oldest first. The factors are
// labels of the runs.
func NewExperiment(name string, factors []string, runs []job.Job) Experiment {
	e := Experiment{Schema: ExperimentSchema, Name: name, Factors: factors, Cells: []ExperimentCell{}, Effects: []Effect{}}
	var groups [][]job.Job
	for _, j := range runs {
		values := make([]string, len(factors))
		for i, f := range factors {
			values[i] = j.Spec.Labels[f]
		}
		at := slices.IndexFunc(e.Cells, func(c ExperimentCell) bool { return slices.Equal(c.Values, values) })
		if at < 0 {
			at = len(e.Cells)
			e.Cells, groups = append(e.Cells, ExperimentCell{Values: values, Runs: []job.ID{}}), append(groups, nil)
		}
		c := &e.Cells[at]
		c.Runs = append(c.Runs, j.ID)
		if j.Status == job.Failed || j.Status == job.Invalid {
			c.Failed++
		}
		if f := j.Facts; f != nil && f.Durability != nil && !f.Durability.Holds {
			c.NotDurable = f.Durability.Why
		}
		groups[at] = append(groups[at], j)
	}
	for i, group := range groups {
		figure, values := FirstFigures(group)
		if len(values) == 0 {
			continue
		}
		e.Figure = cmp.Or(e.Figure, figure)
		if sum, err := statistics.Summarize(values); err == nil {
			e.Cells[i].Result = &sum
		}
		e.Cells[i].P99 = medianP99(group)
	}
	slices.SortStableFunc(e.Cells, func(a, b ExperimentCell) int { return slices.CompareFunc(a.Values, b.Values, CompareValues) })
	e.Effects = append(e.Effects, e.effects()...)
	e.Interactions = e.interactions()
	return e
}

// TrialSchema names the format of Trial, as Schema does for Document.
const TrialSchema = "sledge-experiment-trial-1"

// Trial is the answer to a combination of values that another program asked for.
type Trial struct {
	Schema  string   `json:"schema"`           // always TrialSchema
	Figure  string   `json:"figure,omitempty"` // the first figure of the runs: "NOPM"; missing without a valid run
	Factors []string `json:"factors"`
	ExperimentCell

	Error string `json:"error,omitempty"` // why not all runs of the combination were performed, or why one failed
}

// NewTrial makes the answer to a combination from its runs, the oldest first. failure may be nil.
func NewTrial(name string, factors, values []string, runs []job.Job, failure error) Trial {
	t := Trial{Schema: TrialSchema, Factors: factors, ExperimentCell: ExperimentCell{Values: values, Runs: []job.ID{}}}
	if e := NewExperiment(name, factors, runs); len(e.Cells) > 0 {
		t.Figure, t.ExperimentCell = e.Figure, e.Cells[0]
	}
	if t.Values == nil {
		t.Values = []string{}
	}
	switch {
	case failure != nil:
		t.Error = failure.Error()
	case t.Result == nil:
		t.Error = "its runs failed, and are not repeated: delete the jobs to repeat them"
	}
	return t
}

// ExperimentCSV writes a line for each run of an experiment, the oldest first, for spreadsheets and
// statistics programs: its values of the factors, its status, its headline figures and the 99th
// percentile of its response times.
func ExperimentCSV(w io.Writer, factors []string, runs []job.Job) error {
	var figures []string
	for _, j := range runs {
		for _, m := range j.Result.Metrics {
			if !slices.Contains(figures, m.Name) {
				figures = append(figures, m.Name)
			}
		}
	}
	c := csv.NewWriter(w)
	heads := slices.Concat([]string{"run", "begun", "status", "users", "elapsed_s"}, factors, figures, []string{"p99_ms"})
	for i := range heads {
		heads[i] = cell(heads[i])
	}
	if err := c.Write(heads); err != nil {
		return err
	}
	for _, j := range runs {
		line := []string{string(j.ID), j.Begun.UTC().Format(time.RFC3339), string(j.Status), strconv.Itoa(Users(j)), decimal(j.Result.Elapsed)}
		for _, f := range factors {
			line = append(line, cell(j.Spec.Labels[f]))
		}
		for _, name := range figures {
			if value, has := j.Result.Metric(name); has {
				line = append(line, decimal(value))
			} else {
				line = append(line, "")
			}
		}
		p99 := ""
		if j.Result.P99 > 0 {
			p99 = decimal(1000 * j.Result.P99)
		}
		if err := c.Write(append(line, p99)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// medianP99 returns the median of the 99th percentiles of valid runs, in milliseconds, or nil.
func medianP99(runs []job.Job) *float64 {
	var list []float64
	for _, j := range runs {
		if j.Status.Valid() && j.Result.P99 > 0 {
			list = append(list, 1000*j.Result.P99)
		}
	}
	sum, err := statistics.Summarize(list)
	if err != nil {
		return nil
	}
	return &sum.Median
}

// CompareValues orders values of a factor: numbers by size, and other values as text.
func CompareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// valuesOf returns the values of a factor in order.
func (e Experiment) valuesOf(f int) (values []string) {
	for _, c := range e.Cells {
		if !slices.Contains(values, c.Values[f]) {
			values = append(values, c.Values[f])
		}
	}
	slices.SortFunc(values, CompareValues)
	return values
}

// interactions returns the interactions of each two factors, the strongest first.
func (e Experiment) interactions() (list []Interaction) {
	for f, factor := range e.Factors {
		for g, with := range e.Factors[:f] {
			values, others := e.valuesOf(f), e.valuesOf(g)
			for _, value := range values[min(1, len(values)):] {
				for _, other := range others[min(1, len(others)):] {
					one := Interaction{Factor: factor, Value: value, Base: values[0], With: with, WithValue: other, WithBase: others[0]}
					if e.interact(&one, f, g) {
						list = append(list, one)
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Interaction) int {
		return cmp.Compare(math.Abs(math.Log(b.Ratio)), math.Abs(math.Log(a.Ratio)))
	})
	return list
}

// interact measures an interaction of factors f and g, and returns false without four cells that have results.
func (e Experiment) interact(one *Interaction, f, g int) bool {
	sum := 0.0
	for _, c := range e.Cells {
		if c.Values[f] != one.Value || c.Values[g] != one.WithValue {
			continue
		}
		median := func(of ...*ExperimentCell) (list []float64) {
			for _, c := range of {
				if c == nil || c.Result == nil || c.Result.Median <= 0 {
					return nil
				}
				list = append(list, c.Result.Median)
			}
			return list
		}
		without := e.differing(c, g, one.WithBase)
		if without == nil {
			continue
		}
		m := median(&c, e.differing(c, f, one.Base), without, e.differing(*without, f, one.Base))
		if m == nil {
			continue
		}
		ratio := m[0] / m[1] / (m[2] / m[3])
		if one.Groups == 0 {
			one.Least, one.Most = ratio, ratio
		}
		one.Least, one.Most = min(one.Least, ratio), max(one.Most, ratio)
		sum += math.Log(ratio)
		one.Groups++
	}
	if one.Groups == 0 {
		return false
	}
	one.Ratio = math.Exp(sum / float64(one.Groups))
	return true
}

// effects returns the effects of all factors.
func (e Experiment) effects() (list []Effect) {
	for f, factor := range e.Factors {
		values := e.valuesOf(f)
		for _, value := range values[min(1, len(values)):] {
			effect := Effect{Factor: factor, Value: value, Base: values[0], Least: math.Inf(1), Most: 0}
			sum := 0.0
			for _, c := range e.Cells {
				other := e.differing(c, f, values[0])
				if c.Values[f] != value || other == nil || c.Result == nil || other.Result == nil || other.Result.Median <= 0 || c.Result.Median <= 0 {
					continue
				}
				ratio := c.Result.Median / other.Result.Median
				effect.Least, effect.Most = min(effect.Least, ratio), max(effect.Most, ratio)
				sum += math.Log(ratio)
				effect.Pairs++
			}
			if effect.Pairs > 0 {
				effect.Ratio = math.Exp(sum / float64(effect.Pairs))
				list = append(list, effect)
			}
		}
	}
	return list
}

// differing returns the cell that differs from c in factor f only, which it has as value; or nil.
func (e Experiment) differing(c ExperimentCell, f int, value string) *ExperimentCell {
	wanted := slices.Clone(c.Values)
	wanted[f] = value
	if i := slices.IndexFunc(e.Cells, func(other ExperimentCell) bool { return slices.Equal(other.Values, wanted) }); i >= 0 {
		return &e.Cells[i]
	}
	return nil
}

// Text writes the experiment for people.
func (e Experiment) Text(w io.Writer, v View) error {
	b := page{View: v}
	e.whole(&b)
	return b.write(w)
}

// Markdown writes the experiment for the text of a pull request.
func (e Experiment) Markdown(w io.Writer) error {
	b := page{drawn: true}
	e.whole(&b)
	return b.markdown(w)
}

// Sheet makes the sheet of the experiment for a page in a browser.
func (e Experiment) Sheet() Sheet {
	b := beside()
	e.whole(&b)
	return b.sheet
}

// Best returns the cell with the highest median, or nil.
func (e Experiment) Best() (best *ExperimentCell) {
	for i, c := range e.Cells {
		if c.Result != nil && (best == nil || c.Result.Median > best.Result.Median) {
			best = &e.Cells[i]
		}
	}
	return best
}

// losing says in how many cells a power failure may lose commits, because that makes commits cheaper. The
// reason names the setting.
func (e Experiment) losing(b *page) {
	cells := map[string]int{} // by reason
	for _, c := range e.Cells {
		if c.NotDurable != "" {
			cells[c.NotDurable]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(cells)) {
		advice := ""
		if cells[why] < len(e.Cells) {
			advice = ": do not compare them with others"
		}
		b.say(b.Look.Doubtful, "! In %d of %d cells a power failure may lose commits (%s)%s.", cells[why], len(e.Cells), Printable(why), advice)
	}
}

func (e Experiment) whole(b *page) {
	best := e.Best()
	if best == nil {
		b.say(b.Look.Doubtful, "No run of %s has a valid result yet.", Printable(e.Name))
	} else {
		text := ""
		for i, f := range e.Factors {
			text += fmt.Sprintf(", %s %s", f, cmp.Or(best.Values[i], "-"))
		}
		b.say(b.Look.Strong, "%s", Printable(fmt.Sprintf("Highest median of %s: %s with%s, from %s", e.Figure, figured(&best.Result.Median), text[1:], countRuns(best.Result.Runs))))
		if len(e.Cells) > 1 {
			b.say(plain, "The best of %d is likely to be so by chance, too: sledge experiment confirm runs it again in turns with the reference.", len(e.Cells))
		}
	}
	e.losing(b)
	b.title("Cells", "the median of their valid runs")
	t := terminal.Table{}
	for _, f := range e.Factors {
		t.Columns = append(t.Columns, terminal.Column{Head: Printable(f)})
	}
	t.Columns = append(t.Columns,
		terminal.Column{Head: cmp.Or(e.Figure, "figure")}, terminal.Column{Head: "95 % interval", Rank: 2}, terminal.Column{Head: "range", Rank: 1},
		terminal.Column{Head: "p99 in ms"}, terminal.Column{Head: "runs"}, terminal.Column{Head: "failed"})
	for _, c := range e.Cells {
		var cells []string
		for _, value := range c.Values {
			cells = append(cells, Printable(cmp.Or(value, "-")))
		}
		median, interval, extent := "-", "-", "-"
		valid := 0
		if r := c.Result; r != nil {
			valid = r.Runs
			median, extent = figured(&r.Median), fmt.Sprintf("%s to %s", figured(&r.Least), figured(&r.Most))
			if r.Interval != nil {
				interval = fmt.Sprintf("%s to %s", figured(&r.Interval.Low), figured(&r.Interval.High))
			}
		}
		if c.Result != nil && best != nil && c.Result.Median == best.Result.Median {
			median = b.Look.Good(median)
		}
		t.Row(append(cells, median, interval, extent, figured(c.P99), strconv.Itoa(valid), strconv.Itoa(c.Failed))...)
	}
	b.lay(t)
	if len(e.Effects) == 0 {
		return
	}
	b.title("Effects", "the change of "+Printable(e.Figure)+" from the first value of a factor, as the mean over cells that differ in nothing else; described, not tested")
	t = terminal.Table{Columns: []terminal.Column{{Head: "  factor", Left: true}, {Head: "from"}, {Head: "to"}, {Head: "change"}, {Head: "from cell to cell", Rank: 1}, {Head: "pairs", Rank: 2}}}
	for _, one := range e.Effects {
		t.Row("  "+Printable(one.Factor), Printable(one.Base), Printable(one.Value), changed(one.Ratio), changed(one.Least)+" to "+changed(one.Most), english.Plural(one.Pairs, "pair", ""))
	}
	b.table(t)
	e.layInteractions(b)
}

// layInteractions writes a table of the strongest interactions.
func (e Experiment) layInteractions(b *page) {
	const most = 10
	if len(e.Interactions) == 0 {
		return
	}
	which := ""
	if n := len(e.Interactions); n > most {
		which = fmt.Sprintf("; the strongest %d of %d", most, n)
	}
	b.title("Interactions", "how much more, or less, the first change brings together with the second than alone; described, not tested"+which)
	t := terminal.Table{Columns: []terminal.Column{{Head: "  factor", Left: true}, {Head: "change", Left: true}, {Head: "with", Left: true}, {Head: "change", Left: true}, {Head: "more"}, {Head: "from group to group", Rank: 1}}}
	for _, one := range e.Interactions[:min(most, len(e.Interactions))] {
		t.Row("  "+Printable(one.Factor), Printable(one.Base+" to "+one.Value), Printable(one.With), Printable(one.WithBase+" to "+one.WithValue), changed(one.Ratio), changed(one.Least)+" to "+changed(one.Most))
	}
	b.table(t)
}

// changed formats a ratio as a change: "+5.7 %".
func changed(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }
