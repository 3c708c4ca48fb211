// Package counter implements a transaction counter: it reads a server's own count of transactions,
// from all clients, as samples and a summary. It does not know how front ends draw them.
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
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/workload"
)

// ShortestInterval is the minimum time between two readings, because sessions of some servers
// report their counts only once per second.
const ShortestInterval = time.Second

// The events of lines.
const (
	Begun   = "begun"   // the first reading, which has no rate
	Reading = "reading" // a later reading
	Away    = "away"    // the server does not answer
	Back    = "back"    // the server answers again; the reading has no rate
	Ended   = "ended"   // the last line, with the summary
)

// Counter is a transaction counter of one server. It is not safe for concurrent use.
type Counter struct {
	Plan plan.Plan
	Unit workload.Throughput // the unit of the server's rate

	Every, For   time.Duration // the time between readings, and the total time; For is 0 to count until ctx ends
	AllDatabases bool          // count all databases instead of one

	Began   time.Time // the time of the first reading; zero before it
	Last    time.Time // the time of the server's last answer
	Lost    time.Time // Last, if the server has stopped answering; otherwise zero
	Why     error     // why the server does not answer
	Counted Tally
	Probed  Tally // the workload's own count

	timesAway int
	away      time.Duration // total time without an answer, from the last answer before to the first one after
}

// New returns a counter for the server of a plan, or an error if the server cannot be counted.
func New(plan plan.Plan) (*Counter, error) {
	if plan.Server.Counter == nil {
		return nil, job.WithExit(job.ExitUsage, fmt.Errorf("%s does not count its transactions, so there is nothing to watch: sledge run counts its own transactions", plan.Database.Title))
	}
	unit := plan.Workload.Evidence.Throughput()
	return &Counter{Plan: plan, Unit: unit, Counted: Tally{Per: unit.Per}, Probed: Tally{Per: time.Minute}}, nil
}

// Run reads until ctx ends or the time For is over. engine.Counting describes say and each. each
// must pass every reading to Add. If the first reading fails, Run returns its error.
func (c *Counter) Run(ctx context.Context, say func(line string), each func(engine.CounterReading)) error {
	return engine.Counting{
		Job: c.Plan.Job, Every: c.Every, For: c.For, Probe: true, AllDatabases: c.AllDatabases, Say: say, Each: each,
	}.Run(ctx)
}

// NeedsDatabase reports whether an error means that the database does not exist, while all
// databases could be counted instead.
func (c *Counter) NeedsDatabase(err error) bool {
	return errors.Is(err, database.ErrMissing) && c.Plan.Server.CounterOfAll != nil
}

// Add adds a reading and returns it as a line. news is false if the line only repeats that the
// server does not answer.
func (c *Counter) Add(r engine.CounterReading) (line document.Watch, news bool) {
	line = document.Watch{At: r.At, Event: Reading}
	switch {
	case r.Err != nil && !c.Lost.IsZero():
		c.Why = r.Err // the reason may have changed
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
		line.Probed = &document.Probed{What: c.Plan.Workload.Evidence.Probe.Name, Count: d.N, Elapsed: d.In.Seconds(), Rate: d.Per(c.Probed.Per)}
	}
	return c.whole(line), true
}

// End returns the last line, with the summary.
func (c *Counter) End(now time.Time) document.Watch {
	s := c.Summary(now)
	return c.whole(document.Watch{At: now, Event: Ended, Summary: &s})
}

// whole sets the members that every line has.
func (c *Counter) whole(line document.Watch) document.Watch {
	line.Schema, line.At = document.WatchSchema, line.At.UTC()
	line.Database, line.Target = c.Plan.Database.Name, c.Plan.Database.Options.Target(c.Plan.Connection)
	line.AllDatabases, line.RateIs = c.CountsAll(), c.Unit.Means
	if c.Unit == workload.TPM {
		line.TPM = line.Rate
	}
	return line
}

// Summary returns the summary of all readings until now.
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

// TimeAway returns the total time without an answer, until now.
func (c *Counter) TimeAway(now time.Time) time.Duration {
	if c.Lost.IsZero() {
		return c.away
	}
	return c.away + now.Sub(c.Lost)
}

// WasAway reports whether the server ever stopped answering.
func (c *Counter) WasAway() bool { return c.timesAway > 0 }

// CountsAll reports whether all databases of the server are counted.
func (c *Counter) CountsAll() bool { return c.AllDatabases || c.Plan.Server.CounterOfAll == nil }

// Target returns the server and the database that are counted: "PostgreSQL sbtest on db1:5432".
func (c *Counter) Target() string {
	text := c.Plan.Database.Title + " " + c.Plan.Database.Options.Target(c.Plan.Connection)
	if c.CountsAll() {
		text += ", all databases"
	}
	return text
}

// Counts describes what the server counts in a sentence or two, or returns "" if that is unknown.
func (c *Counter) Counts() string {
	if c.AllDatabases && c.Plan.SQL.Has("counter_all") {
		return c.Plan.SQL.About("counter_all")
	}
	return c.Plan.SQL.About("counter")
}

// Own returns the rate of the counter's own queries, which the server counts, too: one reads the
// count and one the workload's own count.
func (c *Counter) Own() float64 {
	queries := 1
	if c.Probed.Intervals > 0 {
		queries = 2
	}
	return float64(queries*c.Plan.Server.CounterOwn) * float64(c.Unit.Per) / float64(c.Every)
}

// ProbedRate returns the meaning of the workload's own rate, such as "new orders a minute", or ""
// if it has none.
func (c *Counter) ProbedRate() string {
	if c.Plan.Workload.Evidence.Probe == nil {
		return ""
	}
	return c.Plan.Workload.Evidence.Probe.Name + "s a minute"
}

// Text formats a line for people.
func (c *Counter) Text(line document.Watch) string {
	text := ""
	switch line.Event {
	case Begun:
		text = fmt.Sprintf("watching %s, every %s", c.Target(), report.Spell(c.Every))
	case Away:
		text = "the server is away, and is read again when it is back: " + line.Error
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

// InAll returns the summary as one line.
func (c *Counter) InAll() string {
	if c.Counted.Intervals == 0 {
		return "there was no rate, because a rate needs two readings"
	}
	text := fmt.Sprintf("%s %s on average over %s", humanize.Comma(int64(c.Counted.Mean())), c.Unit.Name, report.Spell(c.Counted.In))
	if c.Probed.Intervals > 0 {
		text += fmt.Sprintf(", %s %s", humanize.Comma(int64(c.Probed.Mean())), c.ProbedRate())
	}
	return text
}

// Tally sums up the growth of a count.
type Tally struct {
	N           int64
	In          time.Duration
	Intervals   int
	Per         time.Duration // the unit of time of rates
	Least, Most float64
	Now         float64 // the rate of the last interval
}

// Add adds the growth of a count in an interval. It ignores a growth without an interval.
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

// Mean returns the total count divided by the total time.
func (t *Tally) Mean() float64 { return engine.Delta{N: t.N, In: t.In}.Per(t.Per) }

// spread returns the tally for documents, or nil if it is empty.
func (t *Tally) spread() *document.Spread {
	if t.Intervals == 0 {
		return nil
	}
	return &document.Spread{Min: t.Least, Mean: t.Mean(), Max: t.Most}
}
