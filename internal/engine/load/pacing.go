package load

import (
	"strconv"
	"time"

	"sledge/internal/option"
	"sledge/internal/threshold"
)

// Pacing is the load that the options describe.
type Pacing struct {
	RampUp        time.Duration // time in which users work and nothing is measured
	Settles       bool          // the ramp-up ends when the rate has settled, after RampUp at the latest
	Duration      time.Duration // measured time
	Restores      bool          // the run begins with the copy of the schema
	MaxIterations int           // maximum number of transactions of each user

	// Test means that users work until they have done their iterations, without ramp-up, duration
	// or result.
	Test bool

	// Finite means that users work until their work is done, for at most Duration, and that all of
	// it is measured.
	Finite bool

	// Limit is the maximum time of one transaction, unless the transaction is unlimited. A longer
	// transaction is cancelled and fails. 0 means no limit.
	Limit time.Duration

	Rate        Rate
	Shifts      Shifts
	Clients     Clients
	Connections Connections
	Reconnect   Reconnect
	Failures    Failures
	Kept        Kept

	FailIf threshold.List // conditions under which a valid run fails
}

// Unmonitored reports whether virtual users work without a monitor, as in a test or a finite run.
func (p Pacing) Unmonitored() bool { return p.Test || p.Finite }

// Rate describes when transactions arrive. The zero value is a closed loop, in which a user begins
// a transaction when its last one has ended.
type Rate struct {
	Arrivals func(seed uint64) *Arrivals // returns the schedule; nil in a closed loop

	// Kinds are the kinds of transaction of the sources of arrivals, by the number of the source;
	// nil if users choose the kind.
	Kinds []string

	SkipLate time.Duration // a transaction that is later than this is not started; 0 starts each

	Greatest float64 // the greatest rate in the measured time, in transactions a second; 0 in a closed loop
}

// Failures describes the consequences of a failed transaction.
type Failures struct {
	Retries    int     // maximum number of retries of a transaction
	EndAtFirst bool    // the first failure ends the run, without retries
	EndIfAll   bool    // the run ends if all transactions fail
	Limit      float64 // percentage above which a run is invalid: of failures, or of the difference between the two counts
}

// Kept selects what a run records in addition to its figures.
type Kept struct {
	Ledger      bool  // acknowledged commits, for an audit after the run
	TimeProfile bool  // response times for each virtual user and kind of transaction, of a timed run
	Plans       Plans // query plans of a finite run
	Samples     bool  // of the client's machine and of what the server does

	Agents []string // the names of the agents to watch; empty if Samples is false
}

// Pacing returns the load that the options describe.
func (o *Options) Pacing() Pacing {
	p := Pacing{
		RampUp: o.RampUp.longest(), Settles: o.RampUp.auto, Restores: o.Restore && o.Driver != driverTest, Duration: time.Duration(o.Duration), MaxIterations: o.Iterations,
		Test:        o.Driver == driverTest,
		Rate:        Rate{o.arrivals(), o.kinds(), o.SkipLate, o.greatestRate()},
		Shifts:      Shifts{o.UserDelay, o.steps(), o.Steps.joins == nil},
		Connections: Connections{o.Connections, int(o.Loops)},
		Reconnect:   Reconnect{o.Reconnect, o.ReconnectLimit, o.Reconnects, o.ReconnectDelay},
		Failures:    Failures{o.MaxRetries, o.RaiseError, o.OnAllFailing == endFailing, o.FailureLimit},
		Kept:        Kept{Ledger: o.Ledger, TimeProfile: o.TimeProfile && o.Driver != driverTest, Samples: o.Observe && o.Driver != driverTest},
		FailIf:      o.FailIf,
	}
	if o.AsyncScale {
		p.Clients = Clients{o.AsyncClients, time.Duration(o.AsyncDelay) * time.Millisecond, o.AsyncVerbose}
	}
	if p.Kept.Samples {
		p.Kept.Agents = o.Agents
	}
	if p.Test {
		p.RampUp, p.Settles, p.Duration = 0, false, 0
	}
	if o.Rate.none() {
		p.Rate.SkipLate = 0
	}
	if p.Failures.EndAtFirst {
		p.Failures.Retries, p.Failures.EndIfAll = 0, false
	}
	return p
}

// arrivals implements Rate.Arrivals.
func (o *Options) arrivals() func(seed uint64) *Arrivals {
	if o.Rate.none() {
		return nil
	}
	profiles := o.Rate.profiles()
	if o.Driver != driverTest { // a test has no ramp-up
		for i, p := range profiles {
			profiles[i] = newLed(p, o.RampUp.longest())
		}
	}
	return func(seed uint64) *Arrivals { return NewArrivals(o.Arrivals == spacingPoisson, seed, profiles...) }
}

// greatestRate implements Rate.Greatest. It looks at a thousand moments of the measured time.
func (o *Options) greatestRate() (most float64) {
	const moments = 1000
	if o.Rate.none() {
		return 0
	}
	for i := range moments {
		sum := 0.0
		for _, p := range o.Rate.profiles() {
			sum += p.Rate(time.Duration(o.Duration) / moments * time.Duration(i))
		}
		most = max(most, sum)
	}
	return most
}

// kinds implements Rate.Kinds.
func (o *Options) kinds() []string {
	var names []string
	for _, k := range o.Rate.kinds {
		names = append(names, k.kind)
	}
	return names
}

// steps implements Shifts.Steps.
func (o *Options) steps() func(users int) Steps {
	if o.Steps.none() {
		return nil
	}
	return func(users int) Steps { return o.Steps.of(users, time.Duration(o.Duration)) }
}

// longestDelay limits the pause before a reconnection.
const longestDelay = time.Hour

// Validate implements option.Validator.
func (o *Options) Validate(names option.Names) error {
	if o.Driver == driverTimed && o.Duration <= 0 {
		return names.Wrong("duration", "0", "0 measures nothing: give a time, such as 5 for minutes, or 90s")
	}
	if o.RampUp.auto && (!o.Rate.none() || !o.Steps.none()) {
		return names.Wrong("rampup", "auto", "auto waits until the rate of transactions has settled, and %s and %s prescribe it: give a time, such as 2 for minutes, or 90s", names.Of("rate"), names.Of("steps"))
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
