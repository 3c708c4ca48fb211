package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
	"sledge/internal/statistics"
)

// SetupComparisonSchema names the format of SetupComparison, as Schema does for Document.
const SetupComparisonSchema = "sledge-setup-comparison-1"

// SetupComparison says whether set-up B is better than set-up A, by the figures of their runs.
type SetupComparison struct {
	Schema      string        `json:"schema"` // always SetupComparisonSchema
	Verdict     Verdict       `json:"verdict"`
	Setups      [2]Setup      `json:"setups"`
	InTurns     bool          `json:"in_turns"`    // the runs took turns: A B, B A, ...
	Differences []Difference  `json:"differences"` // between the set-ups; a value joins those of the set-up's runs
	Figures     []SetupFigure `json:"figures"`     // the tested ones first
	Caveats     []string      `json:"caveats"`     // reasons to doubt the verdict, or to limit it
}

// Verdict says how B compares with A.
type Verdict = statistics.Verdict

// Setup is a set of runs that repeat each other.
type Setup struct {
	Name string    `json:"name"` // as the user named it: "set=a"
	Runs []job.ID  `json:"runs"` // the oldest first
	Left []LeftOut `json:"left_out,omitempty"`
}

// LeftOut is a run that was not compared.
type LeftOut struct {
	ID  job.ID `json:"id"`
	Why string `json:"why"`
}

// SetupFigure compares a figure of the runs of two set-ups.
type SetupFigure struct {
	Name string `json:"name"`           // "NOPM"
	Kind string `json:"kind,omitempty"` // kind of transaction; missing for all kinds together
	Unit string `json:"unit,omitempty"` // as in SharedFigure

	A *statistics.Summary `json:"a,omitempty"` // missing if no run of A has the figure
	B *statistics.Summary `json:"b,omitempty"`

	// Change is missing if a run lacks the figure, or has 0.
	Change *statistics.Comparison `json:"change,omitempty"`

	// Tested figures have a verdict. The others are described: of many intervals, some miss the true
	// ratio.
	Tested bool `json:"tested,omitempty"`
}

// title names the figure without its unit: "new order: response p99".
func (f SetupFigure) title() string {
	if f.Kind != "" {
		return f.Kind + ": " + f.Name
	}
	return f.Name
}

// Test says which figures of two set-ups to test, and how.
type Test struct {
	Figures      []string // names, after their kind if they have one: "response p99", "new order: response p99"; none for the headline
	Delta        float64  // smallest relative difference that matters; 0 means statistics.DefaultDelta
	SameMachines bool     // the user says that differing machines are equal
}

// CompareSetups compares two set-ups. Each has the measured runs that were named, the oldest first.
// Runs without valid figures are left out. unset returns the value of an option that a run did not
// set.
func CompareSetups(names [2]string, runs [2][]Measured, test Test, unset func(j job.Job, option string) string) (SetupComparison, error) {
	c := SetupComparison{Schema: SetupComparisonSchema, Caveats: []string{}}
	var each [2][]job.Job
	for i := range runs {
		c.Setups[i] = Setup{Name: names[i], Runs: []job.ID{}}
		var valid []Measured
		for _, r := range runs[i] {
			switch {
			case !r.Job.Status.Valid():
				c.Setups[i].Left = append(c.Setups[i].Left, LeftOut{r.Job.ID, "it is " + string(r.Job.Status)})
			case len(r.Job.Result.Metrics) == 0:
				c.Setups[i].Left = append(c.Setups[i].Left, LeftOut{r.Job.ID, "it has no figures"})
			default:
				valid = append(valid, r)
				each[i] = append(each[i], r.Job)
				c.Setups[i].Runs = append(c.Setups[i].Runs, r.Job.ID)
			}
		}
		if runs[i] = valid; len(valid) == 0 {
			return c, job.WithExit(job.ExitUsage, fmt.Errorf("%s has no valid run: repeat it (sledge jobs lists the runs with their status)", names[i]))
		}
	}
	if order, inTurns := turns(each); inTurns {
		c.InTurns = true
		for i := range runs {
			slices.SortStableFunc(runs[i], func(a, b Measured) int { return cmp.Compare(order[a.Job.ID], order[b.Job.ID]) })
		}
	}
	c.Differences = differences(each[:], unset)
	if err := c.measure(runs, test); err != nil {
		return c, err
	}
	c.caveats(each, test, unset)
	return c, nil
}

// turns returns the place of each run in the order in which they began, and whether each two runs in
// succession are one of each set-up.
func turns(runs [2][]job.Job) (order map[job.ID]int, inTurns bool) {
	all := slices.Concat(runs[0], runs[1])
	slices.SortStableFunc(all, func(a, b job.Job) int { return a.Begun.Compare(b.Begun) })
	ofA := map[job.ID]bool{}
	for _, j := range runs[0] {
		ofA[j.ID] = true
	}
	order, inTurns = map[job.ID]int{}, len(runs[0]) == len(runs[1])
	for i, j := range all {
		order[j.ID] = i
		if i%2 == 1 && ofA[j.ID] == ofA[all[i-1].ID] {
			inTurns = false
		}
	}
	return order, inTurns
}

// measure compares the figures.
func (c *SetupComparison) measure(runs [2][]Measured, test Test) error {
	shared := Compare(slices.Concat(runs[0], runs[1]), func(job.Job, string) string { return "" }).Figures
	headline := runs[0][0].Job.Result.Metrics[0]
	if _, has := runs[1][0].Job.Result.Metric(headline.Name); !has && len(test.Figures) == 0 {
		return job.WithExit(job.ExitUsage, fmt.Errorf("%s has %s, and %s has not: name runs of one workload", c.Setups[0].Name, headline.Name, c.Setups[1].Name))
	}
	asked := test.Figures
	if len(asked) == 0 {
		asked = []string{headline.Name}
	}
	var questions []statistics.Question
	var tested, described []SetupFigure
	found := map[string]bool{}
	for _, s := range shared {
		f, q := c.figure(s, test)
		name := f.title()
		if slices.Contains(asked, name) {
			found[name] = true
			if q == nil {
				return job.WithExit(job.ExitUsage, fmt.Errorf("%s cannot be tested: a run lacks it, or has 0", name))
			}
			f.Tested = true
			tested, questions = append(tested, f), append(questions, *q)
			continue
		}
		if q != nil {
			answers, err := statistics.Compare(*q)
			if err != nil {
				return fmt.Errorf("compare: %w", err)
			}
			f.Change = &answers[0]
		}
		described = append(described, f)
	}
	for _, name := range asked {
		if !found[name] {
			return job.WithExit(job.ExitUsage, fmt.Errorf("--figure: the runs have no figure %q: sledge compare without --figure lists them", name))
		}
	}
	answers, err := statistics.Compare(questions...)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	for i := range tested {
		tested[i].Change = &answers[i]
	}
	c.Figures, c.Verdict = append(tested, described...), verdictOf(answers)
	return nil
}

// verdictOf returns the verdict of several figures together: worse if one is, then undecided if one
// is, then better if one is.
func verdictOf(answers []statistics.Comparison) Verdict {
	for _, v := range []Verdict{statistics.Worse, statistics.Undecided, statistics.Better} {
		if slices.ContainsFunc(answers, func(a statistics.Comparison) bool { return a.Verdict == v }) {
			return v
		}
	}
	return statistics.Same
}

// figure summarizes a figure of each set-up. The question is nil if the figure has no ratio.
func (c *SetupComparison) figure(s SharedFigure, test Test) (SetupFigure, *statistics.Question) {
	f := SetupFigure{Name: s.Name, Kind: s.Kind, Unit: s.Unit}
	q := statistics.Question{Paired: c.InTurns, Lower: lowerIsBetter(s), Delta: test.Delta}
	whole := true
	values := func(from []*float64) (list []float64, of *statistics.Summary) {
		for _, v := range from {
			if v == nil {
				whole = false
				continue
			}
			list = append(list, *v)
			whole = whole && *v > 0
		}
		if len(list) > 0 {
			sum, err := statistics.Summarize(list)
			if err != nil {
				panic(err) // figures are numbers
			}
			of = &sum
		}
		return list, of
	}
	n := len(c.Setups[0].Runs)
	q.A, f.A = values(s.Values[:n])
	q.B, f.B = values(s.Values[n:])
	if !whole {
		return f, nil
	}
	return f, &q
}

// lowerIsBetter says whether a lower figure is the better one: times and costs. Rates have no unit,
// because their name gives it, or are per something else than a transaction.
func lowerIsBetter(s SharedFigure) bool {
	return s.Unit == "ms" || s.Unit == "s" || s.Unit == "%" || strings.HasSuffix(s.Unit, "a transaction")
}

// caveats lists what limits the verdict.
func (c *SetupComparison) caveats(runs [2][]job.Job, test Test, unset func(j job.Job, option string) string) {
	say := func(format string, args ...any) { c.Caveats = append(c.Caveats, fmt.Sprintf(format, args...)) }
	for i, s := range c.Setups {
		if n := len(s.Left); n > 0 {
			say("%s of %s %s left out: %s", countRuns(n), Letter(i), map[bool]string{true: "is", false: "are"}[n == 1], whyLeft(s.Left))
		}
	}
	if !c.InTurns {
		say("The runs did not take turns: a drift of the machine or of the data between them looks like a difference.")
		for i, s := range []*statistics.Summary{c.Figures[0].A, c.Figures[0].B} {
			if s != nil && (s.Trend || s.Dependent) {
				say("The runs of %s drift: each begins where the last one left the database. Restore it between them, or let A and B take turns.", Letter(i))
			}
		}
	}
	var machines []string
	for _, d := range c.Differences {
		if d.machine && !test.SameMachines {
			machines = append(machines, d.Name)
		}
	}
	if len(machines) > 0 {
		say("The machines differ (%s), so this compares machines, too. --same-machines says that they are equal.", listed(machines, 4))
	}
	for i := range runs {
		alone := make([][]job.Job, len(runs[i]))
		for k, j := range runs[i] {
			alone[k] = []job.Job{j}
		}
		var names []string
		for _, d := range differences(alone, unset) {
			if d.Name != "seed" && d.Name != "doctor's findings" {
				names = append(names, d.Name)
			}
		}
		if len(names) > 0 {
			say("The runs of %s are not repetitions of one set-up: they differ in %s.", Letter(i), listed(names, 6))
		}
	}
}

// whyLeft joins the reasons.
func whyLeft(list []LeftOut) string {
	var texts []string
	for _, l := range list {
		texts = append(texts, ShortID(string(l.ID))+": "+l.Why)
	}
	return listed(texts, 3)
}

// listed joins the first of a list, and counts the others.
func listed(list []string, most int) string {
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
}

// Err returns an error with exit code 1 if B is worse, and 2 if that is undecided.
func (c SetupComparison) Err() error {
	switch c.Verdict {
	case statistics.Worse:
		return job.WithExit(job.ExitError, errors.New("compare: B is worse"))
	case statistics.Undecided:
		return job.WithExit(job.ExitUsage, errors.New("compare: undecided"))
	}
	return nil
}
