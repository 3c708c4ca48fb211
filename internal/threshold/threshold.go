// Package threshold reads the conditions under which a run fails, such as p99>50ms, and compares
// figures with them. It does not know workloads and measures nothing.
package threshold

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/option"
)

// Threshold is a condition under which a run fails: a metric, a comparison and a bound.
type Threshold struct {
	Kind    string  // kind of transaction, as written; "" for all kinds
	Metric  string  // as written: "p99", "nopm"
	Compare Compare // how the metric compares with the bound when the run fails
	Bound   float64 // in Unit
	Unit    Unit    // the unit of the bound

	text string // the threshold as written, without spaces
}

// Compare is a comparison.
type Compare string

// The comparisons.
const (
	Above   Compare = ">"
	AtLeast Compare = ">="
	Below   Compare = "<"
	AtMost  Compare = "<="
)

// Unit is the unit of a bound and of the values that are compared with it.
type Unit string

// The units. Times are in seconds and rates per second, whatever unit the user wrote.
const (
	Number  Unit = ""
	Seconds Unit = "seconds"
	Percent Unit = "percent"
	Rate    Unit = "per_second"
)

// List is a list of thresholds, separated by commas, as the value of an option. The zero value
// is empty.
type List []Threshold

// none is the text of an empty list.
const none = "none"

// mostThresholds limits the number of thresholds.
const mostThresholds = 100

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *List) UnmarshalText(text []byte) error {
	word := strings.TrimSpace(string(text))
	if word == none {
		*l = nil
		return nil
	}
	parts := strings.Split(word, ",")
	if len(parts) > mostThresholds {
		return fmt.Errorf("it has more than %d thresholds", mostThresholds)
	}
	list := make(List, 0, len(parts))
	for _, part := range parts {
		t, err := Parse(part)
		if err != nil {
			return err
		}
		list = append(list, t)
	}
	*l = list
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (l List) MarshalText() ([]byte, error) {
	if len(l) == 0 {
		return []byte(none), nil
	}
	words := make([]string, len(l))
	for i, t := range l {
		words[i] = t.text
	}
	return []byte(strings.Join(words, ",")), nil
}

// Kind names the type for people.
func (List) Kind() string { return "thresholds" }

// comparison matches the parts of a threshold: the text before the operator, the operator, and the
// text after it.
var comparison = regexp.MustCompile(`^([^<>=]+)(>=|<=|>|<)([^<>=]+)$`)

// Parse reads one threshold.
func Parse(text string) (Threshold, error) {
	short := strings.TrimSpace(text)
	wrong := func(format string, args ...any) (Threshold, error) {
		return Threshold{}, fmt.Errorf("%q: "+format, append([]any{cut(short)}, args...)...)
	}
	m := comparison.FindStringSubmatch(short)
	if m == nil {
		return wrong("a threshold is a metric, one of > >= < <=, and a bound, such as p99>50ms, failed>0.1%% or nopm<50000, with commas between thresholds and no commas within numbers")
	}
	t := Threshold{Compare: Compare(m[2])}
	t.Kind, t.Metric = subject(strings.TrimSpace(m[1]))
	var err error
	if t.Bound, t.Unit, err = bound(strings.TrimSpace(m[3])); err != nil {
		return wrong("%w", err)
	}
	t.text = strings.Join(strings.Fields(m[1]), "_") + m[2] + strings.Join(strings.Fields(m[3]), "")
	if percentile, is := Percentile(t.Metric); is && !(percentile > 0 && percentile <= 100) {
		return wrong("a percentile must be above p0 and at most p100")
	}
	if want := UnitsOf(t.Metric); want != nil && !slices.Contains(want, t.Unit) {
		return wrong("%s", explain(t.Metric, want))
	}
	if t.Metric == Stall && t.Bound < shortestStall.Seconds() {
		return wrong("a run records stalls of at least %s: give a longer time, such as 2s", shortestStall)
	}
	return t, nil
}

// cut shortens a text for a message.
func cut(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// shortestStall is the shortest stall that a run records.
const shortestStall = 250 * time.Millisecond

// percentile matches the name of a percentile at the end of a subject.
var percentile = regexp.MustCompile(`^(?:(.*)\.)?([pP][0-9]+(?:\.[0-9]+)?)$`)

// subject splits "new_order.p99.9" into the kind of transaction and the metric.
func subject(text string) (kind, metric string) {
	if m := percentile.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), strings.ToLower(m[2])
	}
	metric = text
	if i := strings.LastIndex(text, "."); i >= 0 {
		kind, metric = strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
	}
	if lower := strings.ToLower(metric); UnitsOf(lower) != nil {
		metric = lower
	}
	return kind, metric
}

// quantity matches a bound and its unit.
var quantity = regexp.MustCompile(`^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(\S*)$`)

// bound reads "50ms", "0.1%", "500/s" or "50000".
func bound(text string) (value float64, unit Unit, err error) {
	m := quantity.FindStringSubmatch(text)
	if m == nil {
		return 0, "", fmt.Errorf("%s is not a bound such as 50ms, 0.1%%, 500/s or 50000", cut(text))
	}
	if value, err = strconv.ParseFloat(m[1], 64); err != nil || math.IsInf(value, 0) {
		return 0, "", fmt.Errorf("%s is not a number", cut(m[1]))
	}
	switch m[2] {
	case "":
		return value, Number, nil
	case "%":
		return value, Percent, nil
	case "/s":
		return value, Rate, nil
	case "/min":
		return value / 60, Rate, nil
	case "/h":
		return value / 3600, Rate, nil
	case "min":
		return value * 60, Seconds, nil
	}
	d, err := time.ParseDuration(m[1] + m[2])
	if err != nil {
		return 0, "", fmt.Errorf("%s is not a unit: use us, ms, s, min or h for a time, %% for a share, /s, /min or /h for a rate, and none for a number", cut(m[2]))
	}
	return d.Seconds(), Seconds, nil
}

// The metrics that every workload has, besides percentiles. A workload adds the names of its figures.
const (
	Least   = "min"
	Mean    = "mean"
	Most    = "max"
	Failed  = "failed"
	Retried = "retried"
	PerTime = "rate"
	Stall   = "stall"
	Pace    = "pace"
)

// Metrics lists the metrics of every workload, in the order of messages. OfKinds reports whether
// there is also one for each kind of transaction.
var Metrics = []struct {
	Name    string
	Units   []Unit
	OfKinds bool
	Means   string
}{
	{"p99", []Unit{Seconds}, true, "response time that 99 % of transactions do not exceed; likewise p50, p95, p99.9 and any other percentile"},
	{Least, []Unit{Seconds}, true, "shortest response time"},
	{Mean, []Unit{Seconds}, true, "mean response time"},
	{Most, []Unit{Seconds}, true, "longest response time"},
	{Failed, []Unit{Percent, Number}, true, "transactions that failed: their share, or their number"},
	{Retried, []Unit{Percent, Number}, true, "tries beyond the first: their share of transactions, or their number"},
	{PerTime, []Unit{Rate}, true, "transactions that were done, or rolled back by the workload"},
	{Stall, []Unit{Seconds}, false, "longest time in which no transaction ended"},
	{Pace, []Unit{Percent}, false, "reached share of the requested rate, or of the maximum rate of the keying and thinking times"},
}

// Percentile returns the percentile of a metric: 99.9 for p99.9.
func Percentile(metric string) (p float64, is bool) {
	m := percentile.FindStringSubmatch(metric)
	if m == nil || m[1] != "" {
		return 0, false
	}
	p, err := strconv.ParseFloat(m[2][1:], 64)
	return p, err == nil
}

// UnitsOf returns the units that the bound of a metric may have. It returns nil for a name that is
// not in Metrics, because it may be a workload's own figure.
func UnitsOf(metric string) []Unit {
	if _, is := Percentile(metric); is {
		return []Unit{Seconds}
	}
	for _, m := range Metrics {
		if m.Name == metric {
			return m.Units
		}
	}
	return nil
}

// OfKinds reports whether a metric is also available for one kind of transaction.
func OfKinds(metric string) bool {
	if _, is := Percentile(metric); is {
		return true
	}
	for _, m := range Metrics {
		if m.Name == metric {
			return m.OfKinds
		}
	}
	return false
}

// samples are the bounds that messages suggest.
var samples = map[Unit]string{Number: "50000", Seconds: "50ms or 2s", Percent: "0.1%", Rate: "500/s"}

// called maps units to the names of their quantities.
var called = map[Unit]string{Number: "a number", Seconds: "a time", Percent: "a share", Rate: "a rate"}

// CheckUnit returns an error if the unit of the threshold is not one of units.
func (t Threshold) CheckUnit(units ...Unit) error {
	if slices.Contains(units, t.Unit) {
		return nil
	}
	return fmt.Errorf("%q: %s", cut(t.text), explain(t.Metric, units))
}

func explain(metric string, units []Unit) string {
	var is, such []string
	for _, u := range units {
		is, such = append(is, called[u]), append(such, samples[u])
	}
	return fmt.Sprintf("%s is %s: write its bound as %s", metric, strings.Join(is, " or "), strings.Join(such, " or "))
}

// Exceeded reports whether a value, in the threshold's unit, fails the run.
func (t Threshold) Exceeded(value float64) bool {
	switch t.Compare {
	case Above:
		return value > t.Bound
	case AtLeast:
		return value >= t.Bound
	case Below:
		return value < t.Bound
	case AtMost:
		return value <= t.Bound
	}
	panic("threshold: no rule for " + string(t.Compare))
}

// String returns the threshold as written.
func (t Threshold) String() string { return t.text }

// Goal returns the values with which the run passes, in words: "at most 50 ms".
func (t Threshold) Goal() string {
	words := map[Compare]string{Above: "at most ", AtLeast: "less than ", Below: "at least ", AtMost: "more than "}
	return words[t.Compare] + t.Spell(t.Bound)
}

// Judge returns a sentence that compares a value with the threshold.
func (t Threshold) Judge(name string, value float64) string {
	spelled := t.Spell(value)
	if t.Exceeded(value) {
		if spelled == t.Spell(t.Bound) && value != t.Bound { // rounding must not hide the difference
			spelled = t.spell(value, 12)
		}
		return fmt.Sprintf("%s is %s instead of %s", name, spelled, t.Goal())
	}
	return fmt.Sprintf("%s is %s (%s)", name, spelled, t.Goal())
}

// Spell formats a value in the threshold's unit.
func (t Threshold) Spell(value float64) string {
	if t.Unit == Number && value >= 100 {
		value = math.Trunc(value) // the headline truncates too
	}
	return t.spell(value, 3)
}

func (t Threshold) spell(value float64, digits int) string {
	switch t.Unit {
	case Seconds:
		if value < 1 {
			return significant(value*1000, digits) + " ms"
		}
		return significant(value, digits) + " s"
	case Percent:
		return significant(value, digits) + " %"
	case Rate:
		return significant(value, digits) + "/s"
	}
	return significant(value, digits)
}

// significant formats a number with the given number of significant digits, or with all digits
// before its point.
func significant(value float64, digits int) string {
	after := 0
	if value != 0 {
		after = max(0, digits-1-int(math.Floor(math.Log10(math.Abs(value)))))
	}
	scale := math.Pow10(min(after, 300))
	if rounded := math.Round(value*scale) / scale; !math.IsNaN(rounded) && !math.IsInf(rounded, 0) {
		value = rounded
	}
	return humanize.Commaf(value)
}

// Vocabulary holds the names that a workload adds to those of thresholds.
type Vocabulary struct {
	Kinds   []string // of transaction
	Figures []string // names of the headline figures
	Finite  bool     // runs end when their work is done, and have no stall and no pace
}

// Figure returns the figure for a metric, by its full name.
func (v Vocabulary) Figure(metric string) (name string, is bool) {
	for _, f := range v.Figures {
		if option.SameName(Word(f), metric) {
			return f, true
		}
	}
	return "", false
}

// MetricWords returns the names of the metrics and figures in thresholds.
func (v Vocabulary) MetricWords() []string {
	var words []string
	for _, m := range Metrics {
		if !v.Finite || m.Name != Stall && m.Name != Pace {
			words = append(words, m.Name)
		}
	}
	for _, f := range v.Figures {
		words = append(words, Word(f))
	}
	return words
}

// KindWords returns the names of the kinds of transaction in thresholds.
func (v Vocabulary) KindWords() []string {
	words := make([]string, len(v.Kinds))
	for i, k := range v.Kinds {
		words[i] = Word(k)
	}
	return words
}

// Suggest returns the end of a message about an unknown name: a similar name, or else all names
// that thresholds can use.
func (v Vocabulary) Suggest(name string, known []string) string {
	if nearest := option.Suggest(name, known); nearest != "" {
		return nearest
	}
	text := ". The metrics are " + strings.Join(v.MetricWords(), ", ") + ", and other percentiles, such as p95 and p99.9"
	if len(v.Kinds) > 0 {
		text += fmt.Sprintf(". Of one kind of transaction, as in %s.p95, the kinds are %s", Word(v.Kinds[0]), abridged(v.KindWords()))
	}
	return text
}

// abridged lists words. If there are many, it lists only the first and the last.
func abridged(words []string) string {
	const few = 8
	if len(words) > few {
		words = slices.Concat(words[:2], []string{"…"}, words[len(words)-3:])
	}
	return strings.Join(words, ", ")
}

// Word returns a name in the form of thresholds: "new_order", "geometric_mean_power_test".
func Word(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "_"))
}
