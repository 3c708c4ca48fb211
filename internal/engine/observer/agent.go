package observer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sledge/internal/agent"
	"sledge/internal/job"
)

// Agent watches another machine through its agent, from Begin to End. A second without a reading is a
// gap, whose reason is in the result.
type Agent struct {
	Base
	Saved agent.Saved

	// Found is called with the facts of the machine at the first answer, and at the first one after the
	// agent was restarted.
	Found func(job.Host)

	axis   Axis
	client *agent.Client
	begun  time.Time
	clock  bool // whether ahead and within are known
	ahead  time.Duration
	within time.Duration

	next     time.Time // before which the agent wants no poll
	readings int
	last     time.Time // end of the time for which readings or gaps are known
	why      string    // why there are no readings since then; "" if the reason is unknown
	gaps     time.Duration
	gapsFrom time.Time
	gapsTill time.Time
	reasons  []string // of the gaps, without repetition
}

// A longer time than mostBetween between two readings is a gap. mostReasons limits the kept reasons.
const (
	mostBetween = 1500 * time.Millisecond
	mostReasons = 3
)

// Name implements Observer.
func (a *Agent) Name() string { return "The machine " + a.Saved.Name }

// Begin implements Observer.
func (a *Agent) Begin(_ context.Context, axis Axis) error {
	a.axis, a.client, a.begun = axis, agent.NewClient(a.Saved), time.Now()
	a.last = a.begun
	return nil
}

// Sample implements Sampler.
func (a *Agent) Sample(ctx context.Context) error {
	if time.Now().Before(a.next) {
		return nil
	}
	poll, err := a.client.Poll(ctx)
	if poll.Pause > time.Second {
		a.next = time.Now().Add(poll.Pause - time.Second/2) // samples are a second apart
	}
	if poll.Host != nil && a.Found != nil {
		a.Found(*poll.Host)
	}
	if poll.Version != "" {
		a.clock, a.ahead, a.within = true, poll.Ahead, poll.Within
	}
	if poll.Began {
		a.why = "the agent was restarted"
	}
	for _, r := range poll.Readings {
		if !r.At.After(a.last) {
			continue // from before the run, or placed by a less exact difference of the clocks
		}
		if r.At.Sub(a.last) > mostBetween {
			a.gap(r.At.Add(-time.Second), "the agent took no readings, as when its machine sleeps or is overloaded")
		}
		a.axis.AppendAt(r.At, r.Samples...)
		a.readings++
		a.last, a.why = r.At, ""
	}
	if err != nil {
		a.why = err.Error()
	}
	return err
}

// gap notes that there are no readings from the last one until a time.
func (a *Agent) gap(until time.Time, otherwise string) {
	why := a.why
	if why == "" {
		why = otherwise
	}
	if a.gaps == 0 {
		a.gapsFrom = a.last
	}
	a.gaps, a.gapsTill = a.gaps+until.Sub(a.last), until
	if !slices.Contains(a.reasons, why) && len(a.reasons) < mostReasons {
		a.reasons = append(a.reasons, why)
	}
}

// End implements Observer.
func (a *Agent) End(ctx context.Context) error {
	a.next = time.Time{}
	_ = a.Sample(ctx) // an error is the reason of a gap
	a.client.Close()
	if now := time.Now(); now.Sub(a.last) > mostBetween+time.Second { // a reading may be due
		a.gap(now, "the agent took no readings, as when its machine sleeps or is overloaded")
	}
	return nil
}

// Report implements Observer.
func (a *Agent) Report(result *job.Result) {
	found := job.Agent{Name: a.Saved.Name, Readings: a.readings, GapSeconds: a.gaps.Seconds()}
	if a.clock {
		ahead, within := a.ahead.Seconds(), a.within.Seconds()
		found.AheadSeconds, found.WithinSeconds = &ahead, &within
	}
	result.Agents = append(result.Agents, found)
	if a.gaps == 0 {
		return
	}
	const layout = "15:04:05"
	result.Unobserved = append(result.Unobserved, job.Unobserved{Observer: a.Name(), Error: fmt.Sprintf("no samples for %.0f s between %s and %s UTC: %s",
		a.gaps.Seconds(), a.gapsFrom.UTC().Format(layout), a.gapsTill.UTC().Format(layout), strings.Join(a.reasons, "; "))})
}
