// Package counter is a transaction counter: it reads a server's own count of transactions, from
// all clients, as samples and a summary. It does not know how front ends draw them.
package counter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"sledge/internal/database"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/workload"
)

// ShortestInterval is as often as servers bring their counts up to date: sessions of some
// report theirs once a second.
const ShortestInterval = time.Second

// What a line is about.
const (
	Begun   = "begun"   // the first reading, which has no rate
	Reading = "reading" // each other one
	Away    = "away"    // the server no longer answers
	Back    = "back"    // it answers again; there is no rate
	Ended   = "ended"   // the last line, which has the summary
)

// Counter counts on one server. It is not safe for concurrent use.
type Counter struct {
	Plan engine.Plan
	Unit workload.Throughput // that the rate of the server's count is in

	Every, For   time.Duration // an interval; all of it, or 0 for as long as ctx lasts
	AllDatabases bool          // count all databases instead of one

	Began   time.Time // when the first reading was; zero until then
	Last    time.Time // when the server last answered
	Lost    time.Time // the same while it does not; zero where it does
	Why     error     // why it does not
	Counted Tally
	Probed  Tally // of the workload's own count

	timesAway int
	away      time.Duration // in all, from the last answer before to the first after
}

// New returns a counter for the server of a plan, or an error if the server cannot be counted.
func New(plan engine.Plan) (*Counter, error) {
	if plan.Server.Counter == nil {
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%s keeps no count of its transactions, so there is nothing to watch: sledge run counts its own", plan.Database.Title))
	}
	unit := plan.Workload.Throughput()
	return &Counter{Plan: plan, Unit: unit, Counted: Tally{Per: unit.Per}, Probed: Tally{Per: time.Minute}}, nil
}

// Run reads until ctx ends or the time is over. say and each are as those of
// engine.Counting: each is told of every reading, which it hands to Add. A first reading that
// fails is an error.
func (c *Counter) Run(ctx context.Context, say func(line string), each func(engine.CounterReading)) error {
	return engine.Counting{
		Plan: c.Plan, Every: c.Every, For: c.For, Probe: true, AllDatabases: c.AllDatabases, Say: say, Each: each,
	}.Run(ctx)
}

// NeedsDatabase reports whether an error is that there is no database of the name, where one
// is counted and all of them could be.
func (c *Counter) NeedsDatabase(err error) bool {
	return errors.Is(err, database.ErrMissing) && c.Plan.Server.CounterOfAll != nil
}

// Add takes a reading, and returns it as a line; news is false where the server is away still,
// which was said already.
func (c *Counter) Add(r engine.CounterReading) (line document.Watch, news bool) {
	line = document.Watch{At: r.At, Event: Reading}
	switch {
	case r.Err != nil && !c.Lost.IsZero():
		c.Why = r.Err // it is still away, for another reason
		return line, false
	case r.Err != nil:
		c.Lost, c.Why = c.Last, r.Err
		c.timesAway++
		line.Event, line.Error = Away, report.OneLine(r.Err)
	case c.Began.IsZero():
		c.Began, line.Event = r.At, Begun
	case !c.Lost.IsZero():
		c.away += r.At.Sub(c.Lost)
		c.Lost, c.Why = time.Time{}, nil
		line.Event = Back
	}
	if r.Err == nil {
		c.Last = r.At
	}
	c.Counted.Add(r.Counted)
	if r.Counted.In > 0 {
		rate := r.Counted.Per(c.Unit.Per)
		line.Elapsed, line.Transactions, line.Rate = r.Counted.In.Seconds(), &r.Counted.N, &rate
	}
	if d := r.Probed; d != nil && d.In > 0 {
		c.Probed.Add(*d)
		line.Probed = &document.Probed{What: c.Plan.Workload.ProbeName, Count: d.N, Elapsed: d.In.Seconds(), Rate: d.Per(c.Probed.Per)}
	}
	return c.whole(line), true
}

// End returns the last line, which sums up.
func (c *Counter) End(now time.Time) document.Watch {
	s := c.Summary(now)
	return c.whole(document.Watch{At: now, Event: Ended, Summary: &s})
}

// whole fills in what each line says.
func (c *Counter) whole(line document.Watch) document.Watch {
	line.Schema, line.At = document.WatchSchema, line.At.UTC()
	line.Database, line.Target = c.Plan.Database.Name, c.Plan.Database.Target(c.Plan.Connection)
	line.AllDatabases, line.RateIs = c.CountsAll(), c.Unit.Means
	if c.Unit == workload.TPM {
		line.TPM = line.Rate
	}
	return line
}

// Summary sums up what was read until now.
func (c *Counter) Summary(now time.Time) document.WatchSummary {
	s := document.WatchSummary{
		Measured: c.Counted.In.Seconds(), Intervals: c.Counted.Intervals, Rate: c.Counted.spread(), Probed: c.Probed.spread(),
		TimesAway: c.timesAway, Away: c.TimeAway(now).Seconds(),
	}
	if c.Unit == workload.TPM {
		s.TPM = s.Rate
	}
	if !c.Began.IsZero() {
		s.Elapsed = now.Sub(c.Began).Seconds()
	}
	return s
}

// TimeAway is how long the server did not answer, until now.
func (c *Counter) TimeAway(now time.Time) time.Duration {
	if c.Lost.IsZero() {
		return c.away
	}
	return c.away + now.Sub(c.Lost)
}

// WasAway reports whether the server did not answer at any time.
func (c *Counter) WasAway() bool { return c.timesAway > 0 }

// CountsAll reports whether all databases of the server are counted, not one.
func (c *Counter) CountsAll() bool { return c.AllDatabases || c.Plan.Server.CounterOfAll == nil }

// Target says what is watched: "PostgreSQL sbtest on db1:5432".
func (c *Counter) Target() string {
	text := c.Plan.Database.Title + " " + c.Plan.Database.Target(c.Plan.Connection)
	if c.CountsAll() {
		text += ", all databases"
	}
	return text
}

// Counts says what the server counts, in a sentence or two; "" where that is not known.
func (c *Counter) Counts() string {
	if c.AllDatabases && c.Plan.SQL.Has("counter_all") {
		return c.Plan.SQL.About("counter_all")
	}
	return c.Plan.SQL.About("counter")
}

// ProbedRate says what the rate of the workload's own count is of: "new orders a minute"; ""
// where it has none.
func (c *Counter) ProbedRate() string {
	if c.Plan.Workload.ProbeName == "" {
		return ""
	}
	return c.Plan.Workload.ProbeName + "s a minute"
}

// Text spells a line for people.
func (c *Counter) Text(line document.Watch) string {
	text := ""
	switch line.Event {
	case Begun:
		text = fmt.Sprintf("watching %s, every %s", c.Target(), report.Spell(c.Every))
	case Away:
		text = "the server is away, and read again when it is back: " + line.Error
	case Back:
		text = "the server is back"
	case Ended:
		text = "ended: " + c.InAll()
	default:
		text = "no rate: the server's count was reset"
		if line.Rate != nil {
			text = fmt.Sprintf("%11s %s", humanize.Comma(int64(*line.Rate)), c.Unit.Name)
		}
		if line.Probed != nil {
			text += fmt.Sprintf("  %11s %s", humanize.Comma(int64(line.Probed.Rate)), c.ProbedRate())
		}
	}
	return line.At.Local().Format(time.RFC3339) + "  " + report.Printable(text) + "\n"
}

// InAll sums up in one line.
func (c *Counter) InAll() string {
	if c.Counted.Intervals == 0 {
		return "there was no rate, which needs two readings"
	}
	text := fmt.Sprintf("%s %s on average over %s", humanize.Comma(int64(c.Counted.Mean())), c.Unit.Name, report.Spell(c.Counted.In))
	if c.Probed.Intervals > 0 {
		text += fmt.Sprintf(", %s %s", humanize.Comma(int64(c.Probed.Mean())), c.ProbedRate())
	}
	return text
}

// Tally sums up how far a count has moved.
type Tally struct {
	N           int64
	In          time.Duration
	Intervals   int
	Per         time.Duration // that rates are of
	Least, Most float64
	Now         float64 // the rate of the last interval
}

// Add adds what was counted in an interval, if it is one.
func (t *Tally) Add(d engine.Delta) {
	if d.In <= 0 {
		return
	}
	t.Now = d.Per(t.Per)
	if t.Intervals == 0 {
		t.Least = t.Now
	}
	t.Least, t.Most = min(t.Least, t.Now), max(t.Most, t.Now)
	t.N, t.In, t.Intervals = t.N+d.N, t.In+d.In, t.Intervals+1
}

// Mean is of all that was counted, by all the time.
func (t *Tally) Mean() float64 { return engine.Delta{N: t.N, In: t.In}.Per(t.Per) }

// spread is the tally for programs; nil where there is none.
func (t *Tally) spread() *document.Spread {
	if t.Intervals == 0 {
		return nil
	}
	return &document.Spread{Min: t.Least, Mean: t.Mean(), Max: t.Most}
}
