package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"sledge/internal/job"
)

// ceiling shows what the client on a machine can drive: the figure first, then what was measured and
// what was calculated.
func ceiling(b *page, j job.Job) {
	c := j.Result.Ceiling
	b.say(b.Look.Figure, "This machine can drive about %s transactions/s of %s over the protocol of %s with %s: %s µs of CPU each",
		about(c.TransactionsPerSecond), c.Title, c.Protocol, cores(float64(c.Cores)), microseconds(c.CPUMicroseconds))
	least, most := rangeOf(c.Repeats, func(r job.CeilingRepeat) float64 { return r.CPUMicroseconds })
	slow, fast := rangeOf(c.Repeats, job.CeilingRepeat.Rate)
	users := VirtualUsers(Users(j)) + " in goroutines"
	if c.Loops > 0 {
		users = fmt.Sprintf("%s on %s", VirtualUsers(Users(j)), plural(c.Loops, "event loop"))
	}
	b.say(b.Look.Faint, "  Measured: %d × %s with %s. A transaction took %s to %s µs of the client's CPU time (spread %.1f %%). They did %s to %s transactions/s on a stand-in for the server, which shared the cores.",
		len(c.Repeats), Spell(time.Duration(c.Repeats[0].Seconds*float64(time.Second)).Round(10*time.Millisecond)), users,
		microseconds(least), microseconds(most), c.SpreadPercent, about(slow), about(fast))
	b.say(b.Look.Faint, "  Calculated: %s divided by the median of the CPU times. TLS, client SQL and pauses are not part of it.", cores(float64(c.Cores)))
}

// mostSpread is the spread of repeats, in percent, from which on a ceiling is doubtful.
const mostSpread = 5

// ceilingGrounds returns what casts doubt on a ceiling.
func ceilingGrounds(c job.Ceiling) (list []Ground) {
	if c.SpreadPercent > mostSpread {
		list = append(list, Ground{Doubtful, "Spread", fmt.Sprintf("the repeats differ by %.1f %%. Measure again on a quiet machine, and for longer (--duration)", c.SpreadPercent)})
	}
	if !c.Saturated() {
		least, _ := rangeOf(c.Repeats, func(r job.CeilingRepeat) float64 { return r.BusyPercent })
		list = append(list, Ground{Doubtful, "Saturation", fmt.Sprintf(
			"the client had rests: it computed for only %.0f %% of the time, and needs less CPU for each transaction at its limit. The ceiling may be higher. Measure with more users (--users), on a quiet machine", least)})
	}
	return list
}

// ceilingReached says how much of the ceiling of its machine a run reached.
func ceilingReached(c job.CeilingReached) Ground {
	g := Ground{Plain, "Ceiling", fmt.Sprintf("this run reached %s of what this machine's client can drive, %s transactions/s (ceiling of %s)",
		percent(c.Percent), about(c.TransactionsPerSecond), c.At.UTC().Format(time.DateOnly))}
	if c.Percent > job.MostOfCeiling {
		g.Tone = Doubtful
		g.Text += ", so the client may limit it. Use a machine with more cores"
	}
	return g
}

// rangeOf returns the least and the greatest figure of the repeats.
func rangeOf(list []job.CeilingRepeat, figure func(job.CeilingRepeat) float64) (least, most float64) {
	var values []float64
	for _, r := range list {
		values = append(values, figure(r))
	}
	return slices.Min(values), slices.Max(values)
}

// about formats a large number with three significant digits.
func about(x float64) string {
	scale := math.Pow10(max(0, int(math.Floor(math.Log10(max(x, 1))))-2))
	return count(int64(math.Round(x/scale) * scale))
}

// microseconds formats a CPU time with three significant digits, like the milliseconds of millis.
func microseconds(us float64) string { return millis(us * 1e6) }
