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
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/parquet-go/parquet-go"

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

	// Outliers are valid runs whose first figure is outside statistics.Fences. They count.
	Outliers []job.ID `json:"outliers,omitempty"`

	// NotDurable is why a power failure may lose commits with the server's settings in this cell; "" if it
	// may not, or if that is not known.
	NotDurable string `json:"not_durable,omitempty"`
}

// Effect is the ratio of the first figure with one value of a factor to that with its first value, as the
// geometric mean over the pairs of cells that differ in this factor only. In a fraction of all combinations there are no
// such pairs; it is then the ratio of the geometric means of the cells with each value, provided that they have each value of
// each other factor equally often. It is described, not tested.
type Effect struct {
	Factor string   `json:"factor"`
	Value  string   `json:"value"`
	Base   string   `json:"base"` // the first value
	Ratio  float64  `json:"ratio"`
	Least  *float64 `json:"least,omitempty"` // over the pairs; missing in a fraction
	Most   *float64 `json:"most,omitempty"`
	Pairs  int      `json:"pairs"` // 0 in a fraction
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
	e := Experiment{Schema: ExperimentSchema, Name: name, Factors: append([]string{}, factors...), Cells: []ExperimentCell{}, Effects: []Effect{}}
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
			e.Cells[i].Outliers = outliers(group, figure, values)
		}
		e.Cells[i].P99 = medianP99(group)
	}
	slices.SortStableFunc(e.Cells, func(a, b ExperimentCell) int { return slices.CompareFunc(a.Values, b.Values, CompareValues) })
	e.Effects = append(e.Effects, e.effects()...)
	e.Interactions = e.interactions()
	return e
}

// outliers returns the valid runs of a cell that are far from the others.
func outliers(runs []job.Job, figure string, values []float64) (ids []job.ID) {
	low, high := statistics.Fences(values)
	for _, j := range runs {
		if value, has := j.Result.Metric(figure); has && j.Status.Valid() && (value < low || value > high) {
			ids = append(ids, j.ID)
		}
	}
	return ids
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

// runTable is a table with a line for each run of an experiment, the oldest first, for other programs.
type runTable struct {
	heads []string
	lines [][]any // string, int64, float64, time.Time, or nil
}

// tableOf makes the table: the values of the factors, the status, the headline figures and the 99th percentile of response times. All
// heads are different.
func tableOf(factors []string, runs []job.Job) runTable {
	var figures []string
	for _, j := range runs {
		for _, m := range j.Result.Metrics {
			if !slices.Contains(figures, m.Name) {
				figures = append(figures, m.Name)
			}
		}
	}
	t := runTable{heads: []string{"run", "begun", "status", "users", "elapsed_s"}}
	for _, name := range slices.Concat(factors, figures, []string{"p99_ms"}) {
		if slices.Contains(t.heads, name) {
			name = "label " + name
		}
		t.heads = append(t.heads, name)
	}
	for _, j := range runs {
		line := []any{string(j.ID), j.Begun.UTC(), string(j.Status), int64(Users(j)), j.Result.Elapsed}
		for _, f := range factors {
			line = append(line, j.Spec.Labels[f])
		}
		for _, name := range figures {
			if value, has := j.Result.Metric(name); has {
				line = append(line, value)
			} else {
				line = append(line, nil)
			}
		}
		if j.Result.P99 > 0 {
			line = append(line, 1000*j.Result.P99)
		} else {
			line = append(line, nil)
		}
		t.lines = append(t.lines, line)
	}
	return t
}

// ExperimentCSV writes a line for each run of an experiment, the oldest first, for spreadsheets and
// statistics programs: its values of the factors, its status, its headline figures and the 99th
// percentile of its response times.
func ExperimentCSV(w io.Writer, factors []string, runs []job.Job) error {
	t := tableOf(factors, runs)
	c := csv.NewWriter(w)
	var heads []string
	for _, head := range t.heads {
		heads = append(heads, cell(head))
	}
	if err := c.Write(heads); err != nil {
		return err
	}
	for _, line := range t.lines {
		var cells []string
		for _, value := range line {
			switch v := value.(type) {
			case time.Time:
				cells = append(cells, v.Format(time.RFC3339))
			case float64:
				cells = append(cells, decimal(v))
			case string:
				cells = append(cells, cell(v))
			case nil:
				cells = append(cells, "")
			default:
				cells = append(cells, fmt.Sprint(v))
			}
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// ExperimentParquet writes the table of ExperimentCSV as a file in the format Parquet, for data frames. Columns are in the order
// of their names.
func ExperimentParquet(w io.Writer, factors []string, runs []job.Job) error {
	t := tableOf(factors, runs)
	columns := parquet.Group{}
	for i, head := range t.heads {
		node := parquet.Leaf(parquet.DoubleType)
		if len(t.lines) > 0 {
			switch t.lines[0][i].(type) {
			case string:
				node = parquet.String()
			case int64:
				node = parquet.Int(64)
			case time.Time:
				node = parquet.Timestamp(parquet.Millisecond)
			}
		}
		columns[head] = parquet.Optional(node)
	}
	order := slices.Sorted(maps.Keys(columns))
	p := parquet.NewWriter(w, parquet.NewSchema("runs", columns), parquet.Compression(&parquet.Snappy))
	for _, line := range t.lines {
		row := make(parquet.Row, len(order))
		for i, value := range line {
			at := slices.Index(order, t.heads[i])
			v, level := parquet.NullValue(), 1
			switch value := value.(type) {
			case string:
				v = parquet.ByteArrayValue([]byte(value))
			case int64:
				v = parquet.Int64Value(value)
			case float64:
				v = parquet.DoubleValue(value)
			case time.Time:
				v = parquet.Int64Value(value.UnixMilli())
			default:
				level = 0
			}
			row[at] = v.Level(0, level, at)
		}
		if _, err := p.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return p.Close()
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

// CompareValues orders values of a factor: numbers, sizes such as 64MB and times such as 5min by size, texts that begin
// with a number by that, and other values as text.
func CompareValues(a, b string) int {
	for _, parse := range []func(string) (float64, error){numberIn, bytesIn, secondsIn, leadingNumber} {
		x, errX := parse(a)
		y, errY := parse(b)
		if errX == nil && errY == nil {
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
		}
	}
	return cmp.Compare(a, b)
}

func numberIn(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

func bytesIn(text string) (float64, error) {
	n, err := humanize.ParseBytes(text)
	return float64(n), err
}

func secondsIn(text string) (float64, error) {
	d, err := time.ParseDuration(strings.Replace(text, "min", "m", 1))
	return d.Seconds(), err
}

// leadingNumber returns the whole number at the beginning of a text.
func leadingNumber(text string) (float64, error) {
	return strconv.ParseFloat(text[:len(text)-len(strings.TrimLeft(text, "0123456789"))], 64)
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
				if c == nil || !c.positive() {
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
			effect := Effect{Factor: factor, Value: value, Base: values[0]}
			if e.pair(&effect, f) || e.contrast(&effect, f) {
				list = append(list, effect)
			}
		}
	}
	return list
}

// pair measures an effect of factor f, and returns false without two cells that differ in it only.
func (e Experiment) pair(effect *Effect, f int) bool {
	sum, least, most := 0.0, math.Inf(1), 0.0
	for _, c := range e.Cells {
		other := e.differing(c, f, effect.Base)
		if c.Values[f] != effect.Value || other == nil || !c.positive() || !other.positive() {
			continue
		}
		ratio := c.Result.Median / other.Result.Median
		least, most = min(least, ratio), max(most, ratio)
		sum += math.Log(ratio)
		effect.Pairs++
	}
	if effect.Pairs == 0 {
		return false
	}
	effect.Ratio, effect.Least, effect.Most = math.Exp(sum/float64(effect.Pairs)), &least, &most
	return true
}

// contrast measures an effect of factor f in a fraction, and returns false if the cells are not balanced, such as when some
// have no result yet.
func (e Experiment) contrast(effect *Effect, f int) bool {
	var sums, cells [2]float64 // with the value, and with the first one
	seen := map[[2]string][2]int{}
	for _, c := range e.Cells {
		if c.Values[f] != effect.Value && c.Values[f] != effect.Base {
			continue
		}
		if !c.positive() {
			return false
		}
		side := 0
		if c.Values[f] == effect.Base {
			side = 1
		}
		sums[side] += math.Log(c.Result.Median)
		cells[side]++
		for g, value := range c.Values {
			if g != f {
				times := seen[[2]string{e.Factors[g], value}]
				times[side]++
				seen[[2]string{e.Factors[g], value}] = times
			}
		}
	}
	for _, times := range seen {
		if times[0] != times[1] {
			return false
		}
	}
	effect.Ratio = math.Exp(sums[0]/cells[0] - sums[1]/cells[1])
	return cells[0] == cells[1]
}

// positive reports whether a cell has a result whose logarithm can be taken.
func (c ExperimentCell) positive() bool { return c.Result != nil && c.Result.Median > 0 }

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

// layOutliers names the runs that are far from the others of their cell.
func (e Experiment) layOutliers(b *page) {
	const most = 5
	var list []string
	for _, c := range e.Cells {
		for _, id := range c.Outliers {
			list = append(list, ShortID(string(id)))
		}
	}
	if n := len(list); n > most {
		list = append(list[:most], fmt.Sprintf("%d more", n-most))
	}
	if len(list) > 0 {
		b.say(b.Look.Doubtful, "! Outliers, outside the middle half of their cell by more than 3 times its width: %s. They count: look at them (sledge jobs show ID), and delete a job to repeat its run.", strings.Join(list, ", "))
	}
}

func (e Experiment) whole(b *page) {
	best := e.Best()
	if best == nil {
		b.say(b.Look.Doubtful, "No run of %s has a valid result yet.", Printable(e.Name))
	} else {
		var with []string
		for i, f := range e.Factors {
			with = append(with, f+" "+cmp.Or(best.Values[i], "-"))
		}
		text := ""
		if len(with) > 0 {
			text = " with " + strings.Join(with, ", ")
		}
		b.say(b.Look.Strong, "%s", Printable(fmt.Sprintf("Highest median of %s: %s%s, from %s", e.Figure, figured(&best.Result.Median), text, countRuns(best.Result.Runs))))
		if len(e.Cells) > 1 {
			b.say(plain, "The best of %d is likely to be so by chance, too: sledge experiment confirm runs it again in turns with the reference.", len(e.Cells))
		}
	}
	e.losing(b)
	e.layOutliers(b)
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
	how := "cells that differ in nothing else"
	if e.Effects[0].Pairs == 0 {
		how = "all cells of the fraction; interactions of settings cannot be told from one another"
	}
	b.title("Effects", "the change of "+Printable(e.Figure)+" from the first value of a factor, as the mean over "+how+"; described, not tested")
	t = terminal.Table{Columns: []terminal.Column{{Head: "  factor", Left: true}, {Head: "from"}, {Head: "to"}, {Head: "change"}, {Head: "from cell to cell", Rank: 1}, {Head: "pairs", Rank: 2}}}
	for _, one := range e.Effects {
		extent, pairs := "-", "-"
		if one.Pairs > 0 {
			extent, pairs = changed(*one.Least)+" to "+changed(*one.Most), english.Plural(one.Pairs, "pair", "")
		}
		t.Row("  "+Printable(one.Factor), Printable(one.Base), Printable(one.Value), changed(one.Ratio), extent, pairs)
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
