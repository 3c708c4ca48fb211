package observer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
)

// ServerCounters reads the server's own counters when the measured time begins and when it is over, and
// some of them once a second.
type ServerCounters struct {
	Base
	Connect Connect
	Read    func(ctx context.Context, s database.Session) ([]database.CounterSource, error)
	Rates   func(ctx context.Context, s database.Session) ([]database.CounterRate, error) // optional
	Known   database.Counters
	Refused func(error) bool // the user lacks the privilege
	Lost    func(error) bool // the session is lost
	Whole   bool             // the whole run is measured

	axis          Axis
	session       reopened
	before, after *counterReading // nil if there is none
	newest        rateReading
}

// counterReading is a reading of all counters.
type counterReading struct {
	at      time.Time
	sources []database.CounterSource
}

// rateReading is a reading of the counters that are read once a second.
type rateReading struct {
	at     time.Time
	lost   int // number of lost sessions
	values map[database.CounterRate]float64
}

// mostParts limits the objects of a counter in the result.
const mostParts = 20

// Name implements Observer.
func (c *ServerCounters) Name() string { return "The server's counters" }

// Begin implements Observer. It connects before the measured time, which then contains no log-in.
func (c *ServerCounters) Begin(ctx context.Context, axis Axis) (err error) {
	c.axis = axis
	if c.Whole {
		c.before, err = c.read(ctx)
		return err
	}
	return c.session.use(ctx, c.Connect, func(database.Session) error { return nil })
}

// Sample implements Sampler. It adds the growth since the last reading to series. A counter that went
// back was reset, which is a gap.
func (c *ServerCounters) Sample(ctx context.Context) error {
	if c.Rates == nil {
		return ErrOver
	}
	ctx, stop := context.WithTimeout(ctx, answersWithin)
	defer stop()
	err := c.session.use(ctx, c.Connect, func(s database.Session) error {
		began := time.Now()
		list, err := c.Rates(ctx, s)
		if err != nil {
			return err
		}
		last := c.newest
		c.newest = rateReading{middle(began), c.session.lost, map[database.CounterRate]float64{}}
		var samples []job.Sample
		for _, one := range list {
			value := one.Value
			one.Value = 0 // the rest identifies it
			c.newest.values[one] = value
			grown := value - last.values[one]
			if _, known := last.values[one]; !known || grown < 0 || last.lost != c.session.lost {
				continue
			}
			series := job.Series{Name: one.Series, Unit: one.Unit}
			if one.Of != "" {
				series.Labels = map[string]string{"of": one.Of}
			}
			samples = append(samples, job.Sample{Series: series, Value: grown / c.newest.at.Sub(last.at).Seconds()})
		}
		c.axis.Append(samples...)
		return nil
	})
	if err != nil && c.Refused(err) {
		return ErrOver
	}
	return nil // the observer of the server's rate reports a lost session
}

// middle returns the middle of the time since began.
func middle(began time.Time) time.Time { return began.Add(time.Since(began) / 2) }

// read reads all counters. If the session was lost, it reads them over a new one.
func (c *ServerCounters) read(ctx context.Context) (*counterReading, error) {
	var reading counterReading
	take := func(s database.Session) (err error) {
		began := time.Now()
		reading.sources, err = c.Read(ctx, s)
		reading.at = middle(began)
		for _, source := range reading.sources {
			if source.Err != nil && c.Lost(source.Err) {
				return source.Err
			}
		}
		return err
	}
	err := c.session.use(ctx, c.Connect, take)
	if err != nil && ctx.Err() == nil {
		err = c.session.use(ctx, c.Connect, take)
	}
	if err != nil {
		return nil, err
	}
	return &reading, nil
}

// Reach implements Observer.
func (c *ServerCounters) Reach(ctx context.Context, m Moment) (err error) {
	switch {
	case m == RampUpOver:
		c.before, err = c.read(ctx)
	case c.before != nil:
		c.after, err = c.read(ctx)
	}
	return err
}

// End implements Observer.
func (c *ServerCounters) End(ctx context.Context) (err error) {
	defer closeQuietly(&c.session.open)
	if c.Whole && c.before != nil && c.after == nil {
		c.after, err = c.read(ctx)
	}
	return err
}

// Report implements Observer.
func (c *ServerCounters) Report(result *job.Result) {
	if c.before == nil || c.after == nil {
		return
	}
	all := result.Summary.All()
	found := &job.ServerCounters{Seconds: c.after.at.Sub(c.before.at).Seconds(), Counters: []job.ServerCounter{}}
	for _, after := range c.after.sources {
		i := slices.IndexFunc(c.before.sources, func(s database.CounterSource) bool { return s.Name == after.Name })
		before := database.CounterSource{Name: after.Name, Err: errors.New("it was not there at the beginning")}
		if i >= 0 {
			before = c.before.sources[i]
		}
		list, err := c.compare(before, after, found.Seconds)
		if err != nil {
			found.Missing = append(found.Missing, job.MissingCounters{Source: after.Name, Why: clean(err.Error())})
			continue
		}
		for _, one := range list {
			if one.Before == nil {
				one.PerSecond = rounded(one.Value / found.Seconds)
				if n := all.Done + all.RolledBack; n > 0 {
					one.PerTransaction = rounded(one.Value / float64(n))
				}
			}
			found.Counters = append(found.Counters, one)
		}
	}
	result.ServerCounters = found
}

// rounded rounds to six digits.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return v
}

// clockTolerance is the most by which the clock of a source may differ from the time between two
// readings. Servers count whole seconds.
const clockTolerance = 2.5

// counted identifies a value of a source.
type counted struct{ of, name string }

// compare returns the differences of a source. If it was reset between the readings, it returns an error.
// A counter that is new counts from 0.
func (c *ServerCounters) compare(before, after database.CounterSource, seconds float64) ([]job.ServerCounter, error) {
	if err := cmp.Or(before.Err, after.Err); err != nil {
		return nil, err
	}
	first := map[counted]string{}
	for _, v := range before.Values {
		first[counted{v.Of, v.Name}] = v.Value
	}
	reset := func(why string, name string) error {
		return fmt.Errorf("its counters were reset during the run: %s %s", name, why)
	}
	sums := map[string]*job.ServerCounter{}
	for _, v := range after.Values {
		known, is := c.Known.Of(after.Name, v.Name)
		was, there := first[counted{v.Of, v.Name}]
		if !is {
			continue
		}
		if known.Kind == database.Epoch {
			if there && was != v.Value {
				return nil, reset("changed", v.Name)
			}
			continue
		}
		now, err := strconv.ParseFloat(v.Value, 64)
		if err != nil { // NULL: the server does not count it
			continue
		}
		then, err := strconv.ParseFloat(was, 64)
		if err != nil {
			then = 0
		}
		grown := now - then
		switch {
		case known.Kind == database.Clock && math.Abs(grown-seconds) > clockTolerance:
			return nil, reset(fmt.Sprintf("grew by %g s in %.0f s", grown, seconds), v.Name)
		case known.Kind == database.Clock:
			continue
		case known.Kind == database.Growing && grown < 0:
			return nil, reset("went back", v.Name)
		}
		one := sums[v.Name]
		if one == nil {
			one = &job.ServerCounter{Source: after.Name, Name: clean(v.Name), Means: known.Means, Unit: known.Unit, Summary: known.Summary}
			sums[v.Name] = one
		}
		value := grown
		if known.Kind == database.Level {
			value = now
			if one.Before == nil {
				one.Before = new(float64)
			}
			*one.Before += then
		}
		one.Value += value
		if v.Of != "" && grown != 0 {
			one.Parts = append(one.Parts, job.CounterPart{Of: clean(v.Of), Value: value})
		}
	}
	var list []job.ServerCounter
	for _, name := range slices.SortedFunc(maps.Keys(sums), strings.Compare) {
		one := sums[name]
		slices.SortFunc(one.Parts, func(a, b job.CounterPart) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Of, b.Of)) })
		one.Parts = one.Parts[:min(len(one.Parts), mostParts)]
		list = append(list, *one)
	}
	return list, nil
}
