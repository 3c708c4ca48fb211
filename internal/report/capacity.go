package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/statistics"
	"sledge/internal/terminal"
)

// CapacitySchema names the format of Capacity, as Schema does for Document.
const CapacitySchema = "sledge-capacity-1"

// Capacity is the highest rate of transactions that keeps a promise, with the runs that found it. Rates
// are transactions a second.
type Capacity struct {
	Schema  string `json:"schema"`  // always CapacitySchema
	Promise string `json:"promise"` // the thresholds that break it: "p99>50ms,failed>0.1%"

	Capacity *float64 `json:"capacity_per_second,omitempty"` // missing if no rate was confirmed
	Broken   *float64 `json:"broken_per_second,omitempty"`   // the lowest rate that broke the promise and above which none kept it

	// Interval is the 95 % interval of the rate at which half of the runs keep the promise; missing if the
	// runs do not tell.
	Interval *statistics.Interval `json:"interval_per_second,omitempty"`

	Maximum float64 `json:"maximum_per_second"` // what the users can do without a rate

	// Recovers is whether half of the capacity keeps the promise after an overload; missing if that was not tried.
	Recovers *bool `json:"recovers,omitempty"`

	Probes []CapacityProbe `json:"probes"` // in order
	Curve  []PromisedRate  `json:"curve"`
}

// CapacityProbe is a run of the search.
type CapacityProbe struct {
	Job   job.ID   `json:"job,omitempty"`
	Stage string   `json:"stage"`            // "maximum", "search", "confirm", "overload" or "recovery"
	Rate  float64  `json:"rate_per_second"`  // 0 for the maximum
	Ended float64  `json:"ended_per_second"` // transactions
	P99   *float64 `json:"p99_ms,omitempty"` // of all response times
	Kept  bool     `json:"kept"`             // the promise was kept, and the rate was reached
	Why   string   `json:"reason,omitempty"` // why not
}

// PromisedRate is the highest rate of a probe whose 99th percentile was within a limit.
type PromisedRate struct {
	P99  float64 `json:"p99_ms"`
	Rate float64 `json:"rate_per_second"`
}

// Unclear reports whether chance may have decided on which side of a limit the 99th percentile of a run is: the
// 95 % interval of the 99th percentiles of ten parts of its seconds contains the limit (order statistics). Fewer than ten
// seconds cannot tell.
func Unclear(seconds []job.Second, limit time.Duration) (bool, error) {
	const parts, second, ninth = 10, 1, 8 // an interval with 97.9 % confidence
	if len(seconds) < parts {
		return false, nil
	}
	var list []time.Duration
	for i := range parts {
		var sum meter.Summary
		for _, s := range seconds[i*len(seconds)/parts : (i+1)*len(seconds)/parts] {
			if len(sum.Kinds) == 0 {
				sum = meter.NewSummary(len(s.Measured.Kinds))
			}
			if err := sum.AddCoded(s.Measured); err != nil {
				return false, err
			}
		}
		if all := sum.All(); all.Done > 0 {
			list = append(list, time.Duration(all.Response.ValueAtQuantile(99)))
		}
	}
	if len(list) < parts {
		return false, nil
	}
	slices.Sort(list)
	return list[second] <= limit && limit < list[ninth], nil
}

// SetInterval sets the interval from the probes, except that after an overload, which may still suffer
// from it.
func (c *Capacity) SetInterval() {
	var trials []statistics.Trial
	for _, p := range c.Probes {
		if p.Rate > 0 && p.Stage != "recovery" {
			trials = append(trials, statistics.Trial{Rate: p.Rate, Kept: p.Kept})
		}
	}
	c.Interval = nil
	if l, ok := statistics.LimitOf(trials); ok {
		c.Interval = &l.Interval
	}
}

// SetCurve sets the curve of promises from the probes.
func (c *Capacity) SetCurve() {
	c.Curve = []PromisedRate{}
	for _, limit := range []float64{10, 25, 50, 75, 100} {
		point := PromisedRate{P99: limit}
		for _, p := range c.Probes {
			if p.P99 != nil && *p.P99 <= limit && p.Ended >= 0.99*p.Rate {
				point.Rate = max(point.Rate, p.Rate)
			}
		}
		if point.Rate > 0 {
			c.Curve = append(c.Curve, point)
		}
	}
}

// Err returns an error if no rate was confirmed, with the exit code of a missed threshold.
func (c Capacity) Err() error {
	if c.Capacity == nil {
		return job.WithExit(job.ExitMissed, fmt.Errorf("no rate keeps the promise (%s): raise its limits, or use more virtual users", c.Promise))
	}
	return nil
}

// Text writes the capacity for people.
func (c Capacity) Text(w io.Writer, v View) error {
	b := page{View: v}
	c.whole(&b)
	return b.write(w)
}

// Markdown writes the capacity for the text of a pull request.
func (c Capacity) Markdown(w io.Writer) error {
	b := page{drawn: true}
	c.whole(&b)
	return b.markdown(w)
}

func (c Capacity) whole(b *page) {
	if c.Capacity == nil {
		b.say(b.Look.Bad, "No rate kept the promise in two of three runs. It breaks with %s.", Printable(c.Promise))
	} else {
		b.say(b.Look.Strong, "Capacity: %s transactions a second.", figured(c.Capacity))
		text := fmt.Sprintf("The promise breaks with %s", Printable(c.Promise))
		if c.Broken != nil {
			text += fmt.Sprintf(", as at %s a second", figured(c.Broken))
		}
		b.say(plain, "%s.", text)
		const wide = 1.25
		if i := c.Interval; i != nil {
			b.say(plain, "Half of the runs keep it at %s to %s a second (95 %% interval).", figured(&i.Low), figured(&i.High))
			if i.High > wide*i.Low {
				b.say(b.Look.Doubtful, "! That is wide: runs with the same rate differ, for example because of checkpoints. Let each run measure longer (--probe, --confirm), over several of them.")
			}
		}
	}
	b.say(plain, "Without a rate, the virtual users did %s a second.", figured(&c.Maximum))
	switch {
	case c.Recovers == nil:
	case *c.Recovers:
		b.say(b.Look.Good, "After an overload, the server keeps the promise again at half of the capacity.")
	default:
		b.say(b.Look.Bad, "! After an overload, the server did not even keep the promise at half of the capacity: it does not recover by itself.")
	}
	b.title("Runs", "in their order; a rate is transactions that begin in a second, whether or not earlier ones have ended")
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "stage", Left: true}, {Head: "rate"}, {Head: "ended a second"}, {Head: "p99 in ms"}, {Head: "promise", Left: true}, {Head: "job", Short: ShortID, Left: true, Rank: 1},
	}}
	for _, p := range c.Probes {
		rate, kept := "-", ""
		if p.Rate > 0 {
			rate = figured(&p.Rate)
			if kept = "broken"; p.Kept {
				kept = "kept"
			}
		}
		t.Row(p.Stage, rate, figured(&p.Ended), figured(p.P99), kept, string(p.Job))
	}
	b.table(t)
	if len(c.Curve) == 0 {
		return
	}
	b.title("Curve of promises", "the highest rate of these runs with a 99th percentile of at most")
	t = terminal.Table{Columns: []terminal.Column{{Head: "p99 in ms"}, {Head: "rate"}}}
	for _, p := range c.Curve {
		t.Row(figured(&p.P99), figured(&p.Rate))
	}
	b.table(t)
}
