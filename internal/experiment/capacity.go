package experiment

import (
	"math"
	"time"
)

// Stage is a stage of the search for a capacity.
type Stage string

// The stages, in their order.
const (
	StageMaximum  Stage = "maximum"  // how much the users can do without a rate
	StageSearch   Stage = "search"   // which rates keep the promise
	StageConfirm  Stage = "confirm"  // whether the highest of them keeps it again
	StageOverload Stage = "overload" // more than the capacity, to see what it leaves behind
	StageRecovery Stage = "recovery" // whether half of the capacity keeps the promise afterwards
)

// Probe is a run of the search for a capacity. Outcome is known afterwards.
type Probe struct {
	Stage  Stage
	Rate   float64 // transactions a second; 0 for the maximum
	Length time.Duration
	ProbeOutcome
}

// ProbeOutcome is what a probe has found.
type ProbeOutcome struct {
	Kept    bool // the promise was kept, and the rate was reached
	Unclear bool // chance may have decided: the interval of the promised figure contains its limit

	Ended float64 // transactions a second that ended
	P99   float64 // of the response times of all transactions, in seconds
}

// Capacity searches for the highest rate of transactions that keeps a promise, such as a limit of the
// 99th percentile. The rates are those of an open load: transactions begin at them whether or not
// earlier ones have ended.
//
// It halves the ratio between a rate that keeps the promise and one that breaks it, until the ratio is
// 1.03. An unclear probe is repeated with twice the length, twice at most. Single probes err near the capacity, so the highest rate that kept the promise must keep it
// in two of three longer probes; otherwise lower ones are tried, in growing steps. The ratio of
// probes that must agree follows MLRsearch (draft-ietf-bmwg-mlrsearch).
type Capacity struct {
	Probe   time.Duration // length of a probe of the search; 0 means 30 s
	Confirm time.Duration // length of a probe that confirms; 0 means 60 s
}

const (
	closeEnough  = 1.03 // the ratio of the lowest broken rate to the highest kept one at which the search ends
	mostSearches = 12   // probes, including that of the maximum
	longest      = 4    // times the usual length, of an unclear probe
	lowering     = 1.03 // by how much a rate is lowered that was not confirmed; by its square the next time, and so on
	mostTried    = 6    // rates that are tried to be confirmed; the last one is 40 % of the first
	overloading  = 1.2
	lowestShare  = 1.0 / 256 // of the maximum: below it, no rate keeps the promise
)

// Found is what a search has found so far.
type Found struct {
	Maximum   float64 // transactions a second without a rate
	Kept      float64 // the highest rate that kept the promise; 0 for none
	Broken    float64 // the lowest rate that broke it and above which no rate kept it; 0 for none
	Confirmed float64 // the capacity; 0 until it is confirmed
	Recovers  *bool   // whether half of the capacity keeps the promise after an overload; nil until it was tried
}

// Next returns the probe after those that are done, and false if the search is over.
func (c Capacity) Next(done []Probe) (Probe, bool) {
	probe := func(stage Stage, rate float64, length, otherwise time.Duration) (Probe, bool) {
		if length == 0 {
			length = otherwise
		}
		return Probe{Stage: stage, Rate: rounded(rate), Length: length}, true
	}
	const short, long = 30 * time.Second, 60 * time.Second
	if len(done) == 0 {
		return probe(StageMaximum, 0, c.Probe, short)
	}
	switch last := done[len(done)-1]; last.Stage {
	case StageOverload:
		return probe(StageRecovery, FoundBy(done).Confirmed/2, c.Probe, short)
	case StageRecovery:
		return Probe{}, false
	}
	base := c.Probe
	if base == 0 {
		base = short
	}
	if last := done[len(done)-1]; last.Stage == StageSearch && last.Unclear && last.Length < longest*base && len(done) < mostSearches {
		last.Length *= 2
		return Probe{Stage: StageSearch, Rate: last.Rate, Length: last.Length}, true
	}
	f := FoundBy(done)
	if rate := c.searched(done, f); rate > 0 {
		return probe(StageSearch, rate, c.Probe, short)
	}
	if f.Kept == 0 {
		return Probe{}, false
	}
	if rate := confirming(done, f.Kept); f.Confirmed == 0 && rate > 0 {
		return probe(StageConfirm, rate, c.Confirm, long)
	}
	if f.Confirmed > 0 {
		return probe(StageOverload, max(f.Broken, f.Confirmed)*overloading, c.Probe, short)
	}
	return Probe{}, false
}

// searched returns the next rate of the search, or 0 if it is over.
func (c Capacity) searched(done []Probe, f Found) float64 {
	switch {
	case len(done) >= mostSearches, done[len(done)-1].Stage == StageConfirm:
		return 0
	case len(done) == 1:
		return f.Maximum / 2
	case f.Broken == 0:
		return f.Kept * 2
	case f.Kept == 0:
		if rate := f.Broken / 2; rate >= f.Maximum*lowestShare {
			return rate
		}
		return 0
	case f.Broken/f.Kept > closeEnough:
		return math.Sqrt(f.Kept * f.Broken)
	}
	return 0
}

// confirming returns the rate that must be confirmed, beginning with kept; 0 if none was confirmed.
func confirming(done []Probe, kept float64) float64 {
	rate, lower := kept, lowering
	for range mostTried {
		if _, no := confirmations(done, rounded(rate)); no < 2 {
			return rate
		}
		rate, lower = rate/lower, lower*lower
	}
	return 0
}

// confirmations counts the probes that confirm a rate, and those that do not.
func confirmations(done []Probe, rate float64) (yes, no int) {
	for _, p := range done {
		switch {
		case p.Stage != StageConfirm || p.Rate != rate:
		case p.Kept:
			yes++
		default:
			no++
		}
	}
	return yes, no
}

// FoundBy returns what probes have found.
func FoundBy(done []Probe) (f Found) {
	done = lastOf(done)
	highest := 0.0 // that kept the promise in any stage
	for _, p := range done {
		if p.Kept {
			highest = max(highest, p.Rate)
		}
		switch {
		case p.Stage == StageMaximum:
			f.Maximum = p.Ended
		case p.Stage == StageSearch && p.Kept:
			f.Kept = max(f.Kept, p.Rate)
		}
	}
	for _, p := range done {
		if broken := p.Stage != StageMaximum && !p.Kept; broken && p.Rate > highest && (f.Broken == 0 || p.Rate < f.Broken) {
			f.Broken = p.Rate
		}
		if yes, _ := confirmations(done, p.Rate); p.Stage == StageConfirm && yes >= 2 {
			f.Confirmed = p.Rate
		}
	}
	if last := len(done) - 1; last >= 0 && done[last].Stage == StageRecovery {
		f.Recovers = &done[last].Kept
	}
	return f
}

// lastOf leaves out the probes of the search that were repeated, because they were unclear.
func lastOf(done []Probe) (list []Probe) {
	for i, p := range done {
		if p.Stage == StageSearch && i+1 < len(done) && done[i+1].Stage == StageSearch && done[i+1].Rate == p.Rate {
			continue
		}
		list = append(list, p)
	}
	return list
}

// rounded rounds a rate to four digits, so that it is easy to read and to repeat.
func rounded(rate float64) float64 {
	if rate <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(rate))-3)
	return math.Round(math.Round(rate/unit)*unit*1e6) / 1e6
}
