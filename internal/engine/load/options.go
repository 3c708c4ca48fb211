// Package load says how hard virtual users work, and when: what is the same for every
// workload.
package load

import (
	"time"

	"sledge/internal/engine/pool"
	"sledge/internal/option"
	"sledge/internal/threshold"
)

// Options are the options of a run that every workload has. Most of their defaults are
// those that people know from the console.
type Options struct {
	option.Naming
	RampUp         option.Minutes `opt:"rampup" group:"load" main:"true" unit:"minutes" flag:"rampup" for:"run" needs:"driver=timed" help:"time in minutes, or with a unit such as 90s, that users work before anything is measured"`
	Duration       option.Minutes `opt:"duration" group:"load" main:"true" unit:"minutes" flag:"duration" for:"run" needs:"driver=timed" help:"time in minutes, or with a unit such as 90s, that is measured"`
	Iterations     int            `opt:"iterations" group:"load" unit:"transactions" flag:"iterations" for:"run" min:"1" max:"1000000000000" needs:"nothing" help:"transactions a virtual user does at most"`
	Driver         string         `opt:"driver" group:"load" choices:"test|timed" for:"run" needs:"nothing" help:"timed measures for a time after a ramp-up; test lets each user do its iterations and measures nothing"`
	UserDelay      time.Duration  `opt:"user_delay" group:"load" for:"run" needs:"users!=1" help:"time between the starts of two virtual users, such as 500ms; 0s starts them together"`
	Rate           target         `opt:"rate" group:"load" flag:"rate" for:"run" needs:"nothing" help:"transactions that are to begin, whether or not earlier ones have ended: 500/s, 30000/min, or a rate over time, such as ramp:100/s,1000/s,60s; or of each kind, such as new_order=100/s,payment=200/s; none lets each user begin one when its last has ended. Time counts from the end of the ramp-up, in which the rate is the first one"`
	Arrivals       string         `opt:"arrivals" group:"load" choices:"poisson|constant" for:"run" needs:"rate" help:"how the transactions of a rate are spread: poisson, as by customers who know nothing of each other, or constant, at even distances"`
	Steps          headcount      `opt:"steps" group:"load" flag:"steps" for:"run" needs:"nothing" help:"virtual users that work at each time: 4,8,16 in parts of the measured time, 4,8,16@1m a minute each and the last until the end, 0s=4,90s=8 from these times on, or +2@1m/4m so many more than the users of the run, from a minute on for four; none has all users work all the time. Times count from the end of the ramp-up, in which as many work as at its end"`
	Reconnect      bool           `opt:"reconnect" group:"load" flag:"reconnect" for:"run" needs:"nothing" help:"let a virtual user whose connection is lost connect again, at the next server if several are named, and go on; its transaction counts as failed. Without it, the run ends"`
	ReconnectLimit time.Duration  `opt:"reconnect_limit" group:"load" for:"run" needs:"reconnect" help:"time without any connection after which a run ends that is to reconnect, such as 2m"`
	Reconnects     int            `opt:"reconnects" group:"load" unit:"times" min:"0" max:"1000000" for:"run" needs:"reconnect" help:"times that a virtual user connects again at most, with the option reconnect; a connection that it loses after that ends the run; 0 sets no limit"`
	ReconnectDelay time.Duration  `opt:"reconnect_delay" group:"load" for:"run" needs:"reconnect" help:"pause before a lost connection is made again, half of it to one and a half times, longer from try to try; such as 500ms"`
	Ledger         bool           `opt:"ledger" group:"load" flag:"ledger" for:"run" needs:"nothing" help:"note every transaction that the server acknowledges as committed, and look after the run whether one of them is missing in the database or appears twice. It takes 28 bytes of memory for each"`
	AsyncScale     bool           `opt:"async_scale" group:"load" for:"run" needs:"nothing" help:"have each virtual user work for several asynchronous clients at once, each a terminal with its own keying and thinking times and its own session"`
	AsyncClients   int            `opt:"async_clients" group:"load" unit:"clients" min:"1" max:"100000" for:"run" needs:"async_scale" help:"asynchronous clients of each virtual user"`
	AsyncVerbose   bool           `opt:"async_verbose" group:"load" for:"run" needs:"async_scale" help:"say what each asynchronous client does, transaction by transaction"`
	AsyncDelay     int            `opt:"async_delay" group:"load" unit:"milliseconds" min:"0" max:"3600000" for:"run" needs:"async_scale" help:"milliseconds between the logins of two asynchronous clients of a virtual user; the ramp-up begins when the last has logged in"`
	Connections    int            `opt:"connections" group:"load" unit:"connections" flag:"connections" for:"run" min:"0" max:"100000" needs:"nothing" help:"connections that all virtual users share: a user takes one for each transaction, and waits where others have them all; 0 gives each user a connection of its own"`
	RaiseError     bool           `opt:"stop_on_failure" group:"client" for:"run" needs:"nothing" help:"end the run at the first failure, and retry nothing"`
	MaxRetries     int            `opt:"max_retries" group:"client" unit:"tries" min:"0" max:"1000" for:"run" needs:"!stop_on_failure" help:"times a transaction is run again after a deadlock, a serialization failure, a lock timeout or a busy database, before it counts as failed"`
	FailureLimit   float64        `opt:"max_failures" group:"client" unit:"percent" min:"0" max:"100" for:"run" needs:"nothing" help:"percent of transactions that may fail, or be in the count of the server or of the virtual users alone, before the run is reported as invalid"`
	FailIf         threshold.List `opt:"fail_if" group:"client" flag:"fail-if" for:"run" list:"true" needs:"nothing" help:"thresholds, with commas between, at which a run that is valid fails all the same, with exit code 10: p99>50ms, new_order.p95>20ms, failed>0.1%, nopm<50000, stall>2s, pace<95%; none judges nothing"`
	OnAllFailing   string         `opt:"on_all_failing" group:"client" flag:"on-all-failing" for:"run" choices:"end|continue" needs:"!stop_on_failure" help:"what a run does in which nothing has succeeded for 30 s and everything fails: end, or continue, as to wait for a server that comes back"`
	Loops          loops          `opt:"loops" group:"client" for:"run" needs:"nothing" help:"event loops that run the virtual users, each on a core of its own: a number, or auto, which is one for each two cores; 0 runs each virtual user in a goroutine. An embedded database and systems other than Linux have goroutines alone"`
	TimeProfile    bool           `opt:"time_profile" group:"client" for:"run" needs:"driver=timed" help:"keep the response times of each virtual user apart, and those of the ramp-up: sledge jobs timing --users shows them"`
	ConnectPool    bool           `opt:"connect_pool" group:"client" for:"run" needs:"nothing" help:"give each virtual user several connections, and choose one for each transaction: those of pool_file, or else of the file for the database in config/connectpool, beside the program or in the working folder"`
	PoolFile       pool.File      `opt:"pool_file" group:"client" flag:"pool" for:"run" needs:"nothing" help:"file that lists several connections for each virtual user, and says which of them do which transactions: XML, TOML or YAML; a name other than none sets connect_pool, too"`
}

// The drivers.
const (
	driverTest  = "test"
	driverTimed = "timed"
)

// endFailing is what on_all_failing is unless the user says otherwise.
const endFailing = "end"

// NewOptions returns the defaults.
func NewOptions() *Options {
	return &Options{
		RampUp: option.Minutes(2 * time.Minute), Duration: option.Minutes(5 * time.Minute),
		Iterations: 10_000_000, ReconnectLimit: 2 * time.Minute, ReconnectDelay: 100 * time.Millisecond, Driver: driverTimed, Arrivals: spacingPoisson,
		AsyncClients: 10, AsyncDelay: 1000,
		MaxRetries: 10, FailureLimit: 1, OnAllFailing: endFailing, Loops: automatic,
		PoolFile: pool.None,
	}
}
