package statistics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sledge/internal/statistics"
)

// simulated is the number of comparisons in each cell of a simulation.
const simulated = 1000

func compare(t *testing.T, questions ...statistics.Question) []statistics.Comparison {
	t.Helper()
	answers, err := statistics.Compare(questions...)
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

func TestCompare_ErrsAsRarelyAsItSays(t *testing.T) {
	for _, of := range noises {
		for _, n := range []int{6, 8, 10, 15} {
			for _, paired := range []bool{true, false} {
				r := rand.New(rand.NewPCG(uint64(n), 1))
				var alarm, coverage rate
				for range simulated {
					c := compare(t, statistics.Question{A: runs(r, of, n, 100, 0.02), B: runs(r, of, n, 100, 0.02), Paired: paired})[0]
					alarm.add(c.Verdict == statistics.Better || c.Verdict == statistics.Worse)
					c = compare(t, statistics.Question{A: runs(r, of, n, 100, 0.02), B: runs(r, of, n, 110, 0.02), Paired: paired})[0]
					coverage.add(c.Interval.Low <= 1.1 && 1.1 <= c.Interval.High)
				}
				what := fmt.Sprintf("%s, %d runs, paired %t: ", of.name, n, paired)
				alarm.between(t, what+"false alarms", 0.0, 0.05)
				coverage.between(t, what+"coverage", 0.95, 0.97) // exact tests of 6 pairs have a level of 3 %
			}
		}
	}
}

// The pairs' ratios spread by 3 % in the last rows, as in the design. A t-test of 10 pairs with normal
// noise would find 79 %.
func TestCompare_FindsADifference(t *testing.T) {
	for _, tt := range []struct {
		of     noise
		spread float64 // of the ratio of two runs
		pairs  int
		least  float64
	}{
		{noises[0], 0.02, 8, 0.85},
		{noises[0], 0.02, 10, 0.95},
		{noises[0], 0.03, 10, 0.75},
		{noises[0], 0.03, 12, 0.80},
		{noises[1], 0.03, 10, 0.80},
	} {
		r := rand.New(rand.NewPCG(2, uint64(tt.pairs)))
		var found rate
		for range simulated {
			a, b := runs(r, tt.of, tt.pairs, 100, tt.spread/math.Sqrt2), runs(r, tt.of, tt.pairs, 103, tt.spread/math.Sqrt2)
			found.add(compare(t, statistics.Question{A: a, B: b, Paired: true})[0].Verdict == statistics.Better)
		}
		found.between(t, fmt.Sprintf("%s, spread %g, %d pairs: a difference of 3 %%", tt.of.name, tt.spread, tt.pairs), tt.least, 1)
	}
}

// The true difference is the smallest that matters, so it is a mistake to call the set-ups the same.
func TestCompare_RarelyCallsADifferenceTheSame(t *testing.T) {
	for _, of := range noises {
		r := rand.New(rand.NewPCG(3, 1))
		var wrong, right rate
		for range simulated {
			c := compare(t, statistics.Question{A: runs(r, of, 10, 102, 0.007), B: runs(r, of, 10, 100, 0.007), Paired: true})[0]
			wrong.add(c.Verdict == statistics.Same)
			c = compare(t, statistics.Question{A: runs(r, of, 10, 100, 0.007), B: runs(r, of, 10, 100, 0.007), Paired: true})[0]
			right.add(c.Verdict == statistics.Same)
		}
		wrong.between(t, of.name+": wrongly the same", 0.0, 0.025)
		right.between(t, of.name+": rightly the same", 0.9, 1)
	}
}

func TestCompare_AllowsForTheNumberOfQuestions(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	var alarm, alone, found rate
	for range simulated {
		questions := make([]statistics.Question, 5)
		for i := range questions {
			mean := 100.0
			if i == 2 {
				mean = 106
			}
			questions[i] = statistics.Question{A: runs(r, noises[1], 12, 100, 0.02), B: runs(r, noises[1], 12, mean, 0.02), Paired: true}
		}
		once, onceAlone := false, false
		for i, c := range compare(t, questions...) {
			differs := c.Verdict == statistics.Better || c.Verdict == statistics.Worse
			if differs && c.P > 0.05 || i == 2 && !differs && c.Interval.Low > 1.02 {
				t.Fatalf("got %+v: the verdict, p and the interval disagree", c)
			}
			if i == 2 {
				found.add(differs)
				continue
			}
			once = once || differs
			c = compare(t, questions[i])[0]
			onceAlone = onceAlone || c.Verdict == statistics.Better || c.Verdict == statistics.Worse
		}
		alarm.add(once)
		alone.add(onceAlone)
	}
	alarm.between(t, "any false alarm of five questions", 0.0, 0.05)
	alone.between(t, "any false alarm of four questions that are asked alone", 0.1, 0.2)
	found.between(t, "a difference of 6 % among five questions", 0.9, 1)
}

func TestCompare_AsksForEnoughRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, paired := range []bool{true, false} {
		var found rate
		for range simulated {
			// The spread is known here, so that its estimate from few runs does not matter.
			ask := statistics.Question{A: []float64{100, 100 * math.Exp(0.02*math.Sqrt2)}, B: []float64{100 * math.Exp(0.02*math.Sqrt2), 100}, Paired: paired, Delta: 0.03}
			if paired { // two differences with a standard deviation of 4 %
				ask.B = []float64{100 * math.Exp(0.04*math.Sqrt2), 100 * math.Exp(0.02*math.Sqrt2)}
			}
			n := 2 + compare(t, ask)[0].More
			spread := 0.02
			if paired {
				spread = 0.04 / math.Sqrt2
			}
			c := compare(t, statistics.Question{A: runs(r, noises[0], n, 103, spread), B: runs(r, noises[0], n, 100, spread), Paired: paired})[0]
			found.add(c.Verdict == statistics.Worse)
		}
		found.between(t, fmt.Sprintf("paired %t: found with as many runs as it asked for", paired), 0.8, 0.95)
	}
}

// The test of pairs is compared with its definition: all patterns of signs of the ranks.
func TestCompare_CountsAllSignPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for range 50 {
		a, b := runs(r, noises[0], 9, 100, 0.02), runs(r, noises[0], 9, 101, 0.02)
		var d []float64
		for i := range a {
			d = append(d, math.Log(b[i]/a[i]))
		}
		slices.SortFunc(d, func(x, y float64) int {
			if math.Abs(x) < math.Abs(y) {
				return -1
			}
			return 1
		})
		observed, asFar := 0, 0
		for i := range d {
			if d[i] > 0 {
				observed += i + 1
			}
		}
		for signs := range 1 << 9 {
			sum := 0
			for i := range d {
				if signs>>i&1 == 1 {
					sum += i + 1
				}
			}
			if math.Abs(float64(sum)-22.5) >= math.Abs(float64(observed)-22.5) {
				asFar++
			}
		}
		want := float64(asFar) / (1 << 9)
		if got := compare(t, statistics.Question{A: a, B: b, Paired: true})[0].P; math.Abs(got-want) > 1e-12 {
			t.Errorf("got p %g, want %g of %v", got, want, d)
		}
	}
}

func TestCompare_StatesItsAnswer(t *testing.T) {
	alike := []float64{100, 101, 99, 100, 102, 98, 100, 101}
	times := func(by float64) []float64 {
		list := slices.Clone(alike)
		for i := range list {
			list[i] *= by
			if i%2 == 0 {
				list[i] *= 1.004
			}
		}
		return list
	}
	for _, tt := range []struct {
		name string
		ask  statistics.Question
		want string
	}{
		{"faster", statistics.Question{A: alike, B: times(1.1), Paired: true}, "+10.2 % (95 % interval +10.0 % to +10.4 %, 8 pairs): better"},
		{"slower", statistics.Question{A: alike, B: times(1.1), Paired: true, Lower: true}, "+10.2 % (95 % interval +10.0 % to +10.4 %, 8 pairs): worse"},
		{"a little", statistics.Question{A: alike, B: times(1.0185), Paired: true}, "+2.1 % (95 % interval +1.8 % to +2.3 %, 8 pairs): better, perhaps by less than 2 %"},
		{"nothing", statistics.Question{A: alike, B: times(1), Paired: true}, "+0.2 % (95 % interval +0.0 % to +0.4 %, 8 pairs): same within 2 %"},
		{"apart", statistics.Question{A: alike, B: times(1.1)[:5]}, "+10.4 % (95 % interval +8.9 % to +12.6 %, 8 and 5 runs, not interleaved): better"},
		{"too few pairs", statistics.Question{A: alike[:5], B: times(1.1)[:5], Paired: true}, "+10.2 % (5 pairs): undecided; about 1 more pairs would show a difference of 2 %"},
		{"one run each", statistics.Question{A: alike[:1], B: times(1.1)[:1]}, "+10.4 % (1 and 1 runs, not interleaved): undecided; about 5 more runs of each would show a difference of 2 %"},
	} {
		if got := compare(t, tt.ask)[0].String(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestCompare_RefusesWhatHasNoAnswer(t *testing.T) {
	one := []float64{1}
	for _, tt := range []struct {
		ask  statistics.Question
		want string
	}{
		{statistics.Question{A: one}, "a comparison needs a run of each set-up"},
		{statistics.Question{A: one, B: []float64{1, 2}, Paired: true}, "1 and 2 runs do not form pairs"},
		{statistics.Question{A: one, B: []float64{0}}, "the figure 0 has no ratio: figures must be above 0"},
		{statistics.Question{A: []float64{math.NaN()}, B: one}, "the figure NaN has no ratio: figures must be above 0"},
		{statistics.Question{A: one, B: one, Delta: -1}, "the smallest difference that matters is -1: it must be above 0"},
	} {
		if _, err := statistics.Compare(tt.ask); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: got %v, want %s", tt.ask, err, tt.want)
		}
	}
	if _, err := statistics.Compare(statistics.Question{A: one, B: one}, statistics.Question{}); err == nil || !strings.HasPrefix(err.Error(), "question 2: ") {
		t.Errorf("got %v, want an error that names question 2", err)
	}
}
