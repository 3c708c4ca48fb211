package statistics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Pattern names the course of a series.
type Pattern string

// The patterns.
const (
	Steady      Pattern = "steady"      // after a ramp-up, if any
	Drifting    Pattern = "drifting"    // rises or falls to the end
	Jumping     Pattern = "jumping"     // stays at one level, and then at another
	Oscillating Pattern = "oscillating" // repeats itself, as with checkpoints
)

// Course describes a series of one value a second, such as the transactions of a run.
type Course struct {
	Pattern  Pattern
	From     int       // first second of the part that is described; what precedes it is ramp-up
	Mean     float64   // of that part
	Interval *Interval // of the mean, with confidence 0.95, if the pattern is steady or repeats itself enough; otherwise nil
	Change   float64   // drifting: value at the end divided by that at From
	Jumps    []Jump    // jumping: in order
	Period   int       // oscillating: seconds
	Enough   bool      // oscillating: the part has at least 3 periods
}

// Jump is a change of level that lasts at least 10 seconds.
type Jump struct {
	Second int
	Ratio  float64 // level after it divided by the level before
}

// batch is the number of seconds whose mean is one observation.
const batch = 5

// leastBatches is the smallest number of batches that have a pattern: a minute.
const leastBatches = 12

// FindCourse describes a series of one value a second. delta is the smallest relative change that
// matters; 0 means DefaultDelta. NaN is a second that was not measured.
//
// The ramp-up ends where the rest has the smallest error of its mean (MSER-5, White 1997), at the middle
// at the latest. A level or a line describes the rest better than one level only if it also does
// so for fewer than 1 % of the series with the same values in another order. Blocks keep their
// order, because neighbouring seconds are alike.
func FindCourse(series []float64, delta float64) (Course, error) {
	delta = cmp.Or(delta, DefaultDelta)
	means, err := batches(series)
	if err != nil {
		return Course{}, err
	}
	if len(means) < leastBatches {
		return Course{}, fmt.Errorf("the course of %d seconds is not known: a minute is the least", len(series))
	}
	start := rampUp(means)
	if start == len(means)/2 {
		start = 0 // the series never settles, so all of it is described
	}
	if start > 0 && !differs(means[:start], means[start:], delta) {
		start = 0 // without a ramp-up: the rest was steadier by chance, and its interval would be too narrow
	}
	rest := means[start:]
	c := Course{Pattern: Steady, From: start * batch, Mean: stat.Mean(rest, nil)}
	fit := bestFit(rest)
	if period := period(rest, fit); period > 0 {
		c.Pattern, c.Period, c.Enough = Oscillating, period*batch, len(rest) >= 3*period
		if !c.Enough {
			return c, nil
		}
	} else if fit.matters(delta) && fit.significant(rest) {
		if fit.split == 0 {
			c.Pattern, c.Change = Drifting, fit.after/fit.before
			return c, nil
		}
		c.Pattern = Jumping
		c.jumps(rest, start, delta)
		return c, nil
	}
	c.Interval = meanInterval(rest, max(c.Period/batch, 1))
	return c, nil
}

// A series can have settled after leastSettled batches, 30 s, if the part that is looked at changes
// by less than settledWithin.
const (
	leastSettled  = 6
	settledWithin = 0.05
)

// Settled reports whether a series of one value a second has settled: whether the line through its
// second half, and through its last 30 seconds at least, changes by less than 5 %, with confidence
// 0.95. A noisy series needs a longer half until that is certain. NaN is a second that was not
// measured.
func Settled(series []float64) bool {
	means, err := batches(series[len(series)%batch:])
	if err != nil || len(means) < leastSettled {
		return false
	}
	means = means[min(len(means)/2, len(means)-leastSettled):]
	mean := stat.Mean(means, nil)
	if mean <= 0 {
		return false
	}
	at := make([]float64, len(means)) // from 0 to 1
	for i := range at {
		at[i] = float64(i) / float64(len(at)-1)
	}
	start, change := stat.LinearRegression(at, means, nil, false)
	squares := 0.0
	for i, v := range means {
		off := v - start - change*at[i]
		squares += off * off
	}
	free := float64(len(means) - 2)
	deviation := math.Sqrt(squares / free / (stat.Variance(at, nil) * float64(len(at)-1)))
	sure := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile(0.95) * deviation
	return math.Abs(change)+sure < settledWithin*mean
}

// batches returns the mean of each five seconds. A batch without a measured second has the mean of
// the one before.
func batches(series []float64) ([]float64, error) {
	var means []float64
	for i := 0; i+batch <= len(series); i += batch {
		sum, n := 0.0, 0
		for _, v := range series[i : i+batch] {
			if v < 0 || math.IsInf(v, 0) {
				return nil, fmt.Errorf("second %d has the value %g: a rate cannot have it", i, v)
			}
			if !math.IsNaN(v) {
				sum += v
				n++
			}
		}
		switch {
		case n > 0:
			means = append(means, sum/float64(n))
		case len(means) > 0:
			means = append(means, means[len(means)-1])
		default:
			return nil, errors.New("the first seconds were not measured")
		}
	}
	return means, nil
}

// rampUp returns the number of batches before the part with the smallest error of its mean: at most
// half of them.
func rampUp(y []float64) int {
	best, least := 0, math.Inf(1)
	sum, squares := 0.0, 0.0
	for d := len(y) - 1; d >= 0; d-- {
		sum += y[d]
		squares += y[d] * y[d]
		n := float64(len(y) - d)
		if d > len(y)/2 {
			continue
		}
		if e := (squares - sum*sum/n) / (n * n); e < least {
			best, least = d, e
		}
	}
	return best
}

// differs says whether the mean of a start differs from that of the rest by delta, and by three
// standard errors.
func differs(start, rest []float64, delta float64) bool {
	before := stat.Mean(start, nil)
	after, deviation := stat.MeanStdDev(rest, nil)
	return math.Abs(before-after) > max(delta*after, 3*deviation/math.Sqrt(float64(len(start))))
}

// A fit is a description of a series by a line, or by two levels.
type fit struct {
	split         int     // first value of the second level; 0 for a line
	before, after float64 // the levels, or the ends of the line
	gain          float64 // share of the squared deviations from one level that it explains
}

// plainer is how much smaller the error of two levels must be than that of a line to be chosen.
const plainer = 0.8

// bestFit returns the line or the two levels that describe the series best. A level has at least
// two values.
func bestFit(y []float64) fit {
	n := float64(len(y))
	mean := stat.Mean(y, nil)
	total, cross := 0.0, 0.0
	for i, v := range y {
		total += (v - mean) * (v - mean)
		cross += (float64(i) - (n-1)/2) * (v - mean)
	}
	if total == 0 {
		return fit{before: mean, after: mean}
	}
	slope := cross / (n * (n*n - 1) / 12)
	best := fit{before: mean - slope*(n-1)/2, after: mean + slope*(n-1)/2, gain: slope * cross / total}
	sum := 0.0
	for k := 1; k <= len(y)-2; k++ {
		sum += y[k-1] - mean
		left, right := float64(k), n-float64(k)
		gain := sum * sum * n / (left * right) / total
		if best.split == 0 && 1-gain > plainer*(1-best.gain) {
			continue
		}
		if k >= 2 && gain > best.gain {
			best = fit{split: k, before: mean + sum/left, after: mean - sum/right, gain: gain}
		}
	}
	return best
}

// at returns the value i of n.
func (f fit) at(i, n int) float64 {
	switch {
	case f.split == 0:
		return f.before + (f.after-f.before)*float64(i)/float64(n-1)
	case i < f.split:
		return f.before
	}
	return f.after
}

func (f fit) matters(delta float64) bool {
	return f.before <= 0 || f.after <= 0 || math.Abs(math.Log(f.after/f.before)) >= math.Log1p(delta)
}

// significant says whether fewer than 1 % of the orders of the series' blocks have a fit as good.
func (f fit) significant(y []float64) bool {
	block := min(blockLength(residuals(y, f)), max(1, len(y)/8))
	r := rand.New(rand.NewPCG(1, uint64(len(y))))
	const orders = 199
	shuffled := make([]float64, 0, len(y))
	for range orders {
		shuffled = shuffled[:0]
		for _, b := range r.Perm((len(y) + block - 1) / block) {
			shuffled = append(shuffled, y[b*block:min(len(y), (b+1)*block)]...)
		}
		if bestFit(shuffled).gain >= f.gain {
			return false
		}
	}
	return true
}

func residuals(y []float64, f fit) []float64 {
	r := make([]float64, len(y))
	for i := range y {
		r[i] = y[i] - f.at(i, len(y))
	}
	return r
}

// autocorrelation returns the correlation of a series with itself, lag values later.
func autocorrelation(y []float64, lag int) float64 {
	c := stat.Correlation(y[:len(y)-lag], y[lag:], nil)
	if math.IsNaN(c) { // all values are equal
		return 0
	}
	return c
}

// blockLength returns the first lag at which a series has an autocorrelation below 0.1.
func blockLength(y []float64) int {
	lag := 1
	for lag < len(y)/4 && autocorrelation(y, lag) >= 0.1 {
		lag++
	}
	return lag
}

// period returns the number of batches after which the series repeats itself: more than 20 seconds;
// or 0 if it does not.
func period(y []float64, f fit) int {
	if f.gain > 0.6 {
		y = residuals(y, f)
	}
	best, strongest := 0, 0.0
	fell := false // below 0 before, as between two peaks
	for lag := 1; lag <= len(y)*2/3; lag++ {
		c := autocorrelation(y, lag)
		fell = fell || c < 0
		if fell && lag*batch > 20 && c > strength(len(y)-lag) && c > strongest+0.1 {
			best, strongest = lag, c
		}
	}
	return best
}

// strength returns the least autocorrelation of a period from n pairs of values: chance has a standard
// deviation of about 1/√n, and period tries many lags.
func strength(n int) float64 { return min(0.9, max(0.4, 4/math.Sqrt(float64(n)))) }

// jumps appends the jumps of a part that begins at batch start, in order.
func (c *Course) jumps(y []float64, start int, delta float64) {
	if len(y) < 4 {
		return
	}
	f := bestFit(y)
	if f.split == 0 || !f.matters(delta) || !f.significant(y) {
		return
	}
	c.jumps(y[:f.split], start, delta)
	c.Jumps = append(c.Jumps, Jump{(start + f.split) * batch, f.after / f.before})
	c.jumps(y[f.split:], start+f.split, delta)
}

// leastBlock is the smallest number of batches that are taken as independent of the next ones.
const leastBlock = 4

// meanInterval returns the interval of a series' mean, from the means of blocks that are nearly
// independent, or nil if there are fewer than five.
func meanInterval(y []float64, least int) *Interval {
	block := max(least, leastBlock, blockLength(y))
	var means []float64
	for i := len(y) % block; i+block <= len(y); i += block {
		means = append(means, stat.Mean(y[i:i+block], nil))
	}
	if len(means) < 5 {
		return nil
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	n := float64(len(means))
	half := deviation / math.Sqrt(n) * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return &Interval{mean - half, mean + half}
}
