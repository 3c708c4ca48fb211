// Package statistics says what the figures of runs show, and how sure it is: whether two set-ups
// differ, whether more runs are needed, and whether a run was steady. It knows only numbers: no jobs,
// no files, no clock.
//
// A figure is one number for each run, such as its NOPM or its 99th percentile, never one for each
// transaction: transactions of a run depend on each other. Figures are compared as ratios.
package statistics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"
)

// Question asks whether set-up B is better than set-up A.
type Question struct {
	A, B   []float64 // the figure of each run, above 0
	Paired bool      // A[i] and B[i] are of two runs that took turns: A B, B A, ...
	Lower  bool      // lower figures are better, as for response times
	Delta  float64   // smallest relative difference that matters; 0 means DefaultDelta
}

// DefaultDelta is the smallest relative difference that matters unless the user sets another.
const DefaultDelta = 0.02

// alpha is the probability that a family of comparisons finds a difference although there is none.
const alpha = 0.05

// Verdict answers a Question.
type Verdict string

// The verdicts.
const (
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Same      Verdict = "same"      // any difference is smaller than Delta
	Undecided Verdict = "undecided" // too few runs to say
)

// Interval is a confidence interval. It includes its ends.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Comparison is the answer to a Question.
type Comparison struct {
	Paired     bool      `json:"paired"`               // see Question; otherwise drift between the two series would look like a difference
	RunsA      int       `json:"runs_a"`               // number of runs of A
	RunsB      int       `json:"runs_b"`               // number of runs of B
	Ratio      float64   `json:"ratio"`                // estimate of B's figure divided by A's
	Interval   *Interval `json:"interval,omitempty"`   // of the ratio; nil if there are too few runs for any
	Confidence float64   `json:"confidence,omitempty"` // of the interval: 0.95, or more if several questions were asked
	P          float64   `json:"p"`                    // probability of a ratio at least this far from 1 without a difference, adjusted for all questions
	Delta      float64   `json:"delta"`                // smallest relative difference that matters
	Verdict    Verdict   `json:"verdict"`
	AtLeast    bool      `json:"at_least_delta,omitempty"` // better or worse by at least Delta; otherwise perhaps by less
	More       int       `json:"more,omitempty"`           // runs of each set-up that would probably decide; 0 if decided
}

// Compare answers questions that belong together, such as one for each metric or each setting. With
// probability 0.95 or more, all verdicts of a difference are right: the more questions, the stronger
// the evidence that each needs (Holm 1979).
//
// Paired runs are compared by the signed ranks of their ratios (Wilcoxon 1945), other runs by the
// ranks of their figures (Mann and Whitney 1947). The ratio is the estimate that belongs to the test
// (Hodges and Lehmann 1963), and its interval holds the ratios that the test does not reject.
func Compare(questions ...Question) ([]Comparison, error) {
	shifts := make([]shift, len(questions))
	order := make([]int, len(questions)) // by increasing p
	for i, q := range questions {
		if err := q.check(); err != nil {
			if len(questions) > 1 {
				err = fmt.Errorf("question %d: %w", i+1, err)
			}
			return nil, err
		}
		shifts[i], order[i] = q.shift(), i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(shifts[i].p(0), shifts[k].p(0)) })

	answers := make([]Comparison, len(questions))
	adjusted, left := 0.0, len(questions)
	for _, i := range order {
		adjusted = max(adjusted, min(1, float64(left)*shifts[i].p(0)))
		answers[i] = questions[i].answer(shifts[i], adjusted, alpha/float64(left))
		if adjusted <= alpha {
			left-- // the others need weaker evidence
		}
	}
	return answers, nil
}

func (q Question) check() error {
	switch {
	case len(q.A) == 0 || len(q.B) == 0:
		return errors.New("a comparison needs a run of each set-up")
	case q.Paired && len(q.A) != len(q.B):
		return fmt.Errorf("%d and %d runs do not form pairs", len(q.A), len(q.B))
	case q.Delta < 0 || math.IsNaN(q.Delta):
		return fmt.Errorf("the smallest difference that matters is %g: it must be above 0", q.Delta)
	}
	for _, figure := range slices.Concat(q.A, q.B) {
		if !(figure > 0) || math.IsInf(figure, 1) {
			return fmt.Errorf("the figure %g has no ratio: figures must be above 0", figure)
		}
	}
	return nil
}

// answer states what the shift shows at a level of significance.
func (q Question) answer(s shift, p, level float64) Comparison {
	c := Comparison{
		Paired: q.Paired, RunsA: len(q.A), RunsB: len(q.B), Ratio: math.Exp(s.estimate()),
		Confidence: 1 - level, P: p, Delta: cmp.Or(q.Delta, DefaultDelta), Verdict: Undecided,
	}
	low, high, bounded := s.interval(level)
	if bounded {
		c.Interval = &Interval{math.Exp(low), math.Exp(high)}
		band := math.Log1p(c.Delta)
		switch {
		case low >= -band && high <= band:
			c.Verdict = Same
		case low > 0:
			c.Verdict, c.AtLeast = Better, low >= band
		case high < 0:
			c.Verdict, c.AtLeast = Worse, high <= -band
		}
		if q.Lower {
			c.Verdict = opposite(c.Verdict)
		}
	}
	if c.Verdict == Undecided {
		c.More = q.more(s, level, c.Delta)
	}
	return c
}

func opposite(v Verdict) Verdict {
	switch v {
	case Better:
		return Worse
	case Worse:
		return Better
	}
	return v
}

// String states the answer in a line: "+3.1 % (95 % interval +1.2 % to +5.2 %, 10 pairs): better".
func (c Comparison) String() string {
	runs := fmt.Sprintf("%d and %d runs, not interleaved", c.RunsA, c.RunsB)
	unit := "runs of each"
	if c.Paired {
		runs, unit = count(c.RunsA, "pair"), "pairs"
	}
	text := change(c.Ratio) + " ("
	if c.Interval != nil {
		text += fmt.Sprintf("%.3g %% interval %s to %s, ", 100*c.Confidence, change(c.Interval.Low), change(c.Interval.High))
	}
	text += runs + "): " + string(c.Verdict)
	switch delta := fmt.Sprintf("%.3g %%", 100*c.Delta); {
	case c.Verdict == Same:
		text += " within " + delta
	case c.Verdict == Undecided:
		text += fmt.Sprintf("; about %d more %s would show a difference of %s", c.More, unit, delta)
	case !c.AtLeast:
		text += ", perhaps by less than " + delta
	}
	return text
}

// change writes a ratio as a change in percent.
func change(ratio float64) string { return fmt.Sprintf("%+.1f %%", 100*(ratio-1)) }

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// more estimates how many further runs of each set-up find a difference of delta with probability
// 0.8, by the formula for the normal distribution. It assumes that they spread as the runs so far;
// three more make up for levels that the tests cannot reach exactly.
func (q Question) more(s shift, level, delta float64) int {
	need := leastPairs(level)
	if s.spread > 0 {
		z := quantile(1-level/2) + quantile(0.8)
		const efficiency = 3 / math.Pi // of ranks, compared with means
		root := z * s.spread / delta
		need = max(need, int(math.Ceil(root*root/efficiency))+3)
	}
	return max(1, need-min(len(q.A), len(q.B)))
}

// leastPairs returns the smallest number of pairs that can differ significantly. As many runs of
// each set-up that are not paired can differ, too.
func leastPairs(level float64) int { return int(math.Ceil(1 - math.Log2(level))) }

// shift is the difference between the logarithms of the figures of two set-ups.
type shift struct {
	// candidates are estimates of the shift from each pair of numbers, in increasing order. Their
	// median is the estimate, and how many of them are below a value decides the test of that value.
	candidates []float64

	p      func(value float64) float64 // two-sided p of the test that the shift is value
	spread float64                     // standard deviation of a difference; 0 if unknown
}

func (q Question) shift() shift {
	a, b := logs(q.A), logs(q.B)
	if q.Paired {
		return pairedShift(a, b)
	}
	return independentShift(a, b)
}

// pairedShift tests with the signed ranks of the pairs' differences: the number of averages of two
// differences, or of one with itself, on the same side of the tested value.
func pairedShift(a, b []float64) (s shift) {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
		for _, other := range d[:i+1] {
			s.candidates = append(s.candidates, (other+d[i])/2)
		}
	}
	slices.Sort(s.candidates)
	chance := signedRanks(len(d))
	s.p = func(value float64) float64 {
		above := len(s.candidates) - search(s.candidates, value, false) // with those that equal value
		below := search(s.candidates, value, true)
		return min(1, 2*chance[min(above, below)])
	}
	if len(d) > 1 {
		s.spread = stat.StdDev(d, nil)
	}
	return s
}

// independentShift tests with Mann and Whitney's U.
func independentShift(a, b []float64) (s shift) {
	for _, x := range a {
		for _, y := range b {
			s.candidates = append(s.candidates, y-x)
		}
	}
	slices.Sort(s.candidates)
	s.p = func(value float64) float64 {
		moved := make([]float64, len(b))
		for i := range b {
			moved[i] = b[i] - value
		}
		thresholds := &benchmath.DefaultThresholds
		return min(1, benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a), thresholds), benchmath.NewSample(moved, thresholds)).P)
	}
	if len(a) > 1 && len(b) > 1 {
		s.spread = math.Hypot(stat.StdDev(a, nil), stat.StdDev(b, nil))
	}
	return s
}

// estimate returns Hodges and Lehmann's estimate.
func (s shift) estimate() float64 { return median(s.candidates) }

// interval returns the least and the greatest shift that the test does not reject at a level, or
// false if it rejects none.
func (s shift) interval(level float64) (low, high float64, bounded bool) {
	last := len(s.candidates) - 1
	if s.p(s.candidates[0]-1) > level {
		return 0, 0, false
	}
	// Between two candidates p does not change, and it increases towards their median.
	k := sort.Search(last/2, func(k int) bool {
		return s.p((s.candidates[k]+s.candidates[k+1])/2) > level
	})
	return s.candidates[k], s.candidates[last-k], true
}

func logs(figures []float64) []float64 {
	list := make([]float64, len(figures))
	for i, figure := range figures {
		list[i] = math.Log(figure)
	}
	return list
}
