// Package load describes the load of a run: the number of users, the rate of their transactions,
// and their connections over time. It holds the options that are the same for every workload.
package load

import (
	"time"

	"sledge/internal/engine/pool"
	"sledge/internal/option"
	"sledge/internal/threshold"
)

// Options are the run options that every workload has. Most defaults are those of the console.
type Options struct {
	option.Naming
	RampUp         rampUp         `opt:"rampup" group:"load" main:"true" unit:"minutes" flag:"rampup" for:"run" needs:"driver=timed" help:"time that users work before the measurement begins, in minutes or with a unit such as 90s; auto waits until the rate has settled, for 30 s or more and at most 10 minutes"`
	Duration       option.Minutes `opt:"duration" group:"load" main:"true" unit:"minutes" flag:"duration" for:"run" needs:"driver=timed" help:"measured time, in minutes or with a unit such as 90s"`
	Restore        bool           `opt:"restore" dict:"-" group:"load" flag:"restore" for:"run" needs:"driver=timed" help:"begin with the schema as it was when the first run with this option began, which keeps a copy of it on the server; later ones put the copy back. So all runs find the same data. PostgreSQL and SQLite, in a database that a build created; a deletion drops the copy, too"`
	Iterations     int            `opt:"iterations" group:"load" unit:"transactions" flag:"iterations" for:"run" min:"1" max:"1000000000000" needs:"nothing" help:"maximum number of transactions of each virtual user"`
	Driver         string         `opt:"driver" group:"load" choices:"test|timed" for:"run" needs:"nothing" help:"kind of run: timed measures for the duration after a ramp-up; test measures nothing, and each user does its iterations"`
	UserDelay      time.Duration  `opt:"user_delay" group:"load" for:"run" needs:"users!=1" help:"time between the starts of two virtual users, such as 500ms; 0s starts them together"`
	Rate           rateOption     `opt:"rate" group:"load" flag:"rate" for:"run" needs:"nothing" help:"start transactions at this rate, whether or not earlier ones have ended: 500/s, 30000/min, a rate over time such as ramp:100/s,1000/s,60s, or a rate for each kind such as new_order=100/s,payment=200/s. With none, each user starts a transaction when its last one has ended. Times count from the end of the ramp-up, which uses the first rate"`
	Arrivals       string         `opt:"arrivals" group:"load" choices:"poisson|constant" for:"run" needs:"rate" help:"how the transactions of a rate are spread: poisson, as from independent customers; constant, at even intervals"`
	SkipLate       time.Duration  `opt:"skip_late" dict:"-" group:"load" for:"run" needs:"rate" help:"with a rate: do not start a transaction that is later than this behind its scheduled start, such as 100ms; it counts as failed, in the class skipped. 0s starts each, however late"`
	Steps          headcount      `opt:"steps" group:"load" flag:"steps" for:"run" needs:"nothing" help:"change the number of working users during the run: 4,8,16 divides the measured time into equal parts; 4,8,16@1m changes after each minute; 0s=4,90s=8 changes at these times; +2@1m/4m adds two users after one minute, for four minutes. With none, all users work all the time. Times count from the end of the ramp-up, which uses the first number"`
	Reconnect      bool           `opt:"reconnect" group:"load" flag:"reconnect" for:"run" needs:"nothing" help:"if a virtual user loses its connection, connect again, to the next server if several are named, and go on; the transaction counts as failed. Without this option, the run ends"`
	ReconnectLimit time.Duration  `opt:"reconnect_limit" group:"load" for:"run" needs:"reconnect" help:"with reconnect: end the run after this time without any connection, such as 2m"`
	Reconnects     int            `opt:"reconnects" group:"load" unit:"times" min:"0" max:"1000000" for:"run" needs:"reconnect" help:"with reconnect: how often a virtual user may connect again; if it loses another connection, the run ends; 0 sets no limit"`
	ReconnectDelay time.Duration  `opt:"reconnect_delay" group:"load" for:"run" needs:"reconnect" help:"with reconnect: pause before a user connects again, such as 500ms; it varies at random by up to half, and grows with each try"`
	Ledger         bool           `opt:"ledger" group:"load" flag:"ledger" for:"run" needs:"nothing" help:"record every commit that the server acknowledges, and check after the run that each is in the database exactly once. It takes 28 bytes of memory for each commit"`
	AsyncScale     bool           `opt:"async_scale" group:"load" for:"run" needs:"nothing" help:"each virtual user works for several asynchronous clients at once; each client is a terminal with its own keying and thinking times and its own session"`
	AsyncClients   int            `opt:"async_clients" group:"load" unit:"clients" min:"1" max:"100000" for:"run" needs:"async_scale" help:"asynchronous clients of each virtual user"`
	AsyncVerbose   bool           `opt:"async_verbose" group:"load" for:"run" needs:"async_scale" help:"print each transaction of each asynchronous client"`
	AsyncDelay     int            `opt:"async_delay" group:"load" unit:"milliseconds" min:"0" max:"3600000" for:"run" needs:"async_scale" help:"milliseconds between the logins of two asynchronous clients of a virtual user; the ramp-up begins after the last login"`
	Connections    int            `opt:"connections" group:"load" unit:"connections" flag:"connections" for:"run" min:"0" max:"100000" needs:"nothing" help:"number of connections that all virtual users share: a user takes one for each transaction, and waits if all are in use; 0 gives each user its own connection"`
	RaiseError     bool           `opt:"stop_on_failure" group:"client" for:"run" needs:"nothing" help:"end the run at the first failure, without retries"`
	MaxRetries     int            `opt:"max_retries" group:"client" unit:"tries" min:"0" max:"1000" for:"run" needs:"!stop_on_failure" help:"maximum number of retries of a transaction after a deadlock, a serialization failure, a lock timeout or a busy database; after that it counts as failed"`
	FailureLimit   float64        `opt:"max_failures" group:"client" unit:"percent" min:"0" max:"100" for:"run" needs:"nothing" help:"maximum percentage of transactions that may fail, or that may differ between the counts of the server and of the virtual users; above it, the run is invalid"`
	FailIf         threshold.List `opt:"fail_if" group:"client" flag:"fail-if" for:"run" list:"true" needs:"nothing" help:"fail a valid run, with exit code 10, if one of these conditions holds, separated by commas: p99>50ms, new_order.p95>20ms, failed>0.1%, nopm<50000, stall>2s, pace<95%; none sets no condition"`
	OnAllFailing   string         `opt:"on_all_failing" group:"client" flag:"on-all-failing" for:"run" choices:"end|continue" needs:"!stop_on_failure" help:"what to do if all transactions have failed for 30 s: end the run, or continue, for example to wait for a server to come back"`
	Loops          loops          `opt:"loops" group:"client" for:"run" needs:"nothing" help:"number of event loops that run the virtual users, each on its own core; auto is one for every two cores; 0 runs each virtual user in a goroutine. Embedded databases and systems other than Linux always use goroutines"`
	TimeProfile    bool           `opt:"time_profile" group:"client" for:"run" needs:"driver=timed" help:"record response times for each virtual user, and for the ramp-up; sledge jobs timing --users shows them"`
	Observe        bool           `opt:"observe" dict:"-" group:"client" flag:"observe" for:"run" needs:"driver=timed" help:"sample beside the run what the server and the machines do: its sessions, counters and statements, and the use of each resource. Without it, the result cannot say what limited the run; set it to false to learn what sampling costs"`
	Agents         agents         `opt:"agents" dict:"-" group:"client" flag:"agent" for:"run" list:"true" needs:"driver=timed,observe" help:"sample other machines beside the run through their agents, whose names sledge agent add has saved, separated by commas; none watches none"`
	ConnectPool    bool           `opt:"connect_pool" group:"client" for:"run" needs:"nothing" help:"give each virtual user several connections, and choose one for each transaction. pool_file lists them; without it, the database's file in config/connectpool lists them, in the folder of the program or the working folder"`
	PoolFile       pool.File      `opt:"pool_file" group:"client" flag:"pool" for:"run" needs:"nothing" help:"file (XML, TOML or YAML) that lists several connections for each virtual user and assigns transactions to them; a file also sets connect_pool, none does not"`
}

// OfGroup reports whether each group of a run has its own value of a load option. All groups share
// the other load options.
func OfGroup(name string) bool { return name == "rate" || name == "arrivals" }

// The drivers.
const (
	driverTest  = "test"
	driverTimed = "timed"
)

// endFailing is the default of on_all_failing.
const endFailing = "end"

// NewOptions returns the defaults.
func NewOptions() *Options {
	return &Options{
		RampUp: rampUp{Minutes: option.Minutes(2 * time.Minute)}, Duration: option.Minutes(5 * time.Minute),
		Iterations: 10_000_000, ReconnectLimit: 2 * time.Minute, ReconnectDelay: 100 * time.Millisecond, Driver: driverTimed, Arrivals: spacingPoisson,
		AsyncClients: 10, AsyncDelay: 1000,
		MaxRetries: 10, FailureLimit: 1, OnAllFailing: endFailing, Loops: automatic, Observe: true,
		PoolFile: pool.None,
	}
}
