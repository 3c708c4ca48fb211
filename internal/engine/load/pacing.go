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
	UserDelay     time.Duration // between the starts of two users; 0 starts all at once
	MaxRetries    int           // tries of a transaction beyond the first
	RaiseError    bool          // the first failure ends the run, and nothing is retried
	EndFailing    bool          // the run ends where everything fails
	FailureLimit  float64       // share of failures, or of what only one of the two counts has, in percent, above which a run is invalid
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

	Plans Plans // of the queries of a finite run that are kept

	// TimeProfile says that a timed run keeps, for each virtual user, the response
	// times of each kind of transaction.
	TimeProfile bool

	// Arrivals returns the schedule of transactions; nil means a closed loop, in which users begin
	// a transaction when their last has ended.
	Arrivals func(seed uint64) *Arrivals

	// Reconnect says that users whose connection is lost connect again, and ReconnectLimit
	// how long they may all be without one.
	Reconnect      bool
	ReconnectLimit time.Duration

	// Reconnects is how often a user connects again at most; 0 for no limit. ReconnectDelay is
	// the pause before it does, on average, where the first try succeeds.
	Reconnects     int
	ReconnectDelay time.Duration

	// Ledger says that what was acknowledged is noted, and looked for after the run.
	Ledger bool

	// Kinds names the kinds of transaction that arrivals are of, by the number of their
	// source; nil where users decide.
	Kinds []string

	// Connections is how many users share; 0 gives each its own.
	Connections int

	// Steps returns how many virtual users work at each time, of a run of a number of users;
	// nil where all work all the time. Fixed says that it does not depend on that number.
	Steps func(users int) Steps
	Fixed bool

	// Clients is how many terminals each virtual user has; 0 is one, which is the user itself.
	// Clients log in LoginDelay apart, and say what they do if Verbose.
	Clients    int
	LoginDelay time.Duration
	Verbose    bool

	FailIf threshold.List // at which a run that is valid fails all the same

	// Loops is how many event loops are to run the users, or Automatic; 0 runs each in a goroutine.
	Loops int
}

// LogIn is how long it takes at least until all clients have logged in.
func (p Pacing) LogIn() time.Duration { return time.Duration(max(0, p.Clients-1)) * p.LoginDelay }

// Pacing returns what the options come to.
func (o *Options) Pacing() Pacing {
	p := Pacing{
		RampUp:         time.Duration(o.RampUp),
		Duration:       time.Duration(o.Duration),
		UserDelay:      o.UserDelay,
		MaxRetries:     o.MaxRetries,
		RaiseError:     o.RaiseError,
		FailureLimit:   o.FailureLimit,
		EndFailing:     o.OnAllFailing == endFailing,
		MaxIterations:  o.Iterations,
		Test:           o.Driver == driverTest,
		TimeProfile:    o.TimeProfile && o.Driver != driverTest,
		Arrivals:       o.arrivals(),
		Kinds:          o.kinds(),
		Reconnect:      o.Reconnect,
		ReconnectLimit: o.ReconnectLimit,
		Reconnects:     o.Reconnects,
		ReconnectDelay: o.ReconnectDelay,
		Ledger:         o.Ledger,
		Connections:    o.Connections,
		Loops:          int(o.Loops),
		Steps:          o.steps(),
		Fixed:          o.Steps.joins == nil,
		FailIf:         o.FailIf,
	}
	if o.AsyncScale {
		p.Clients, p.LoginDelay, p.Verbose = o.AsyncClients, time.Duration(o.AsyncDelay)*time.Millisecond, o.AsyncVerbose
	}
	if p.Test {
		p.RampUp, p.Duration = 0, 0
	}
	if p.RaiseError {
		p.MaxRetries, p.EndFailing = 0, false
	}
	return p
}

// arrivals is Pacing.Arrivals.
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

// kinds is Pacing.Kinds.
func (o *Options) kinds() []string {
	var names []string
	for _, k := range o.Rate.kinds {
		names = append(names, k.kind)
	}
	return names
}

// steps is Pacing.Steps.
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
