package load

import (
	"strconv"
	"time"

	"sledge/internal/option"
	"sledge/internal/threshold"
)

// Pacing is what the options of a load come to.
type Pacing struct {
	RampUp        time.Duration // users work but nothing is measured
	Duration      time.Duration // users work and are measured
	MaxIterations int           // transactions a user may do

	// Test says that users work until they have done their iterations, without
	// ramp-up, duration or result.
	Test bool

	// Finite says that users work until they have no more to do, for at most Duration, and
	// that all of it is measured.
	Finite bool

	// Limit is how long one transaction may take before it is cancelled, and fails, unless it
	// is unlimited; 0 for as long as it takes.
	Limit time.Duration

	Rate        Rate
	Shifts      Shifts
	Clients     Clients
	Connections Connections
	Reconnect   Reconnect
	Failures    Failures
	Kept        Kept

	FailIf threshold.List // at which a run that is valid fails all the same
}

// Unmonitored says that virtual users work without a monitor: in a test, and where their
// work ends the run.
func (p Pacing) Unmonitored() bool { return p.Test || p.Finite }

// Rate says when transactions arrive. The zero value is a closed loop, in which users begin a
// transaction when their last has ended.
type Rate struct {
	Arrivals func(seed uint64) *Arrivals // returns the schedule; nil in a closed loop

	// Kinds names the kinds of transaction that arrivals are of, by the number of their
	// source; nil where users decide.
	Kinds []string
}

// Failures says what a failed transaction leads to.
type Failures struct {
	Retries    int     // tries of a transaction beyond the first
	EndAtFirst bool    // the first failure ends the run, and nothing is retried
	EndIfAll   bool    // the run ends where everything fails
	Limit      float64 // share of failures, or of what only one of the two counts has, in percent, above which a run is invalid
}

// Kept is what a run keeps beside its figures.
type Kept struct {
	Ledger      bool  // what was acknowledged, to be looked for after the run
	TimeProfile bool  // the response times of each kind of transaction for each virtual user, of a timed run
	Plans       Plans // of the queries of a finite run
}

// Pacing returns what the options come to.
func (o *Options) Pacing() Pacing {
	p := Pacing{
		RampUp: time.Duration(o.RampUp), Duration: time.Duration(o.Duration), MaxIterations: o.Iterations,
		Test:        o.Driver == driverTest,
		Rate:        Rate{o.arrivals(), o.kinds()},
		Shifts:      Shifts{o.UserDelay, o.steps(), o.Steps.joins == nil},
		Connections: Connections{o.Connections, int(o.Loops)},
		Reconnect:   Reconnect{o.Reconnect, o.ReconnectLimit, o.Reconnects, o.ReconnectDelay},
		Failures:    Failures{o.MaxRetries, o.RaiseError, o.OnAllFailing == endFailing, o.FailureLimit},
		Kept:        Kept{Ledger: o.Ledger, TimeProfile: o.TimeProfile && o.Driver != driverTest},
		FailIf:      o.FailIf,
	}
	if o.AsyncScale {
		p.Clients = Clients{o.AsyncClients, time.Duration(o.AsyncDelay) * time.Millisecond, o.AsyncVerbose}
	}
	if p.Test {
		p.RampUp, p.Duration = 0, 0
	}
	if p.Failures.EndAtFirst {
		p.Failures.Retries, p.Failures.EndIfAll = 0, false
	}
	return p
}

// arrivals is Rate.Arrivals.
func (o *Options) arrivals() func(seed uint64) *Arrivals {
	if o.Rate.none() {
		return nil
	}
	profiles := o.Rate.profiles()
	if o.Driver != driverTest { // which has no ramp-up
		for i, p := range profiles {
			profiles[i] = newLed(p, time.Duration(o.RampUp))
		}
	}
	return func(seed uint64) *Arrivals { return NewArrivals(o.Arrivals == spacingPoisson, seed, profiles...) }
}

// kinds is Rate.Kinds.
func (o *Options) kinds() []string {
	var names []string
	for _, k := range o.Rate.kinds {
		names = append(names, k.kind)
	}
	return names
}

// steps is Shifts.Steps.
func (o *Options) steps() func(users int) Steps {
	if o.Steps.none() {
		return nil
	}
	return func(users int) Steps { return o.Steps.of(users, time.Duration(o.Duration)) }
}

// longestDelay is longer than anybody wants to pause before a connection is made again.
const longestDelay = time.Hour

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	if o.Driver == driverTimed && o.Duration <= 0 {
		return names.Wrong("duration", "0", "0 measures nothing: give a time, such as 5 for minutes, or 90s")
	}
	if o.AsyncScale && o.Driver == driverTest {
		return names.Wrong("async_scale", "true", "a test shows what each user does, one after another: set it to false, or %s to %s", names.Of("driver"), driverTimed)
	}
	if o.Connections > 0 && o.Driver == driverTest {
		return names.Wrong("connections", strconv.Itoa(o.Connections), "a test shows what each user does, on a connection of its own: set it to 0")
	}
	if o.Reconnect && o.RaiseError {
		return names.Wrong("reconnect", "true", "%s ends the run at the first failure, and a lost connection is one: set one of the two", names.Of("stop_on_failure"))
	}
	if o.Reconnect && o.ReconnectLimit <= 0 {
		return names.Wrong("reconnect_limit", "0", "0 leaves no time to connect again: give a time, such as 2m")
	}
	if o.ReconnectDelay > longestDelay {
		return names.Wrong("reconnect_delay", o.ReconnectDelay.String(), "%s is more than %s: give a shorter time, such as 500ms", o.ReconnectDelay, longestDelay)
	}
	if o.Ledger && o.Driver == driverTest {
		return names.Wrong("ledger", "true", "a test cannot be an audited run: set it to false, or %s to %s", names.Of("driver"), driverTimed)
	}
	return o.Steps.check(o, names)
}
