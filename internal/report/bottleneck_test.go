package report

import (
	"testing"

	"sledge/internal/job"
)

func TestBottleneck_NamesWhatLimitedARun(t *testing.T) {
	profile := func(n int64, network, cpu, lock, log float64) *job.Activity {
		return &job.Activity{
			Samples: 100, Joined: &job.Joined{},
			Shares: []job.ActivityShare{{Sessions: 5, Class: "log", Wait: "IO/WalSync", Transaction: "payment"}, {Sessions: 9, Class: "log", Wait: "LWLock/WALWrite", Program: "other"}, {Sessions: 1, Class: "cpu", Wait: "updating", Transaction: "payment"}},
			Transactions: []job.TimeSplit{
				{Kind: "new order", Response: 20, Samples: n - n/10, Parts: []job.TimePart{{Name: job.PartStartLag, Milliseconds: 10}, {Name: job.PartClient}, {Name: "network", Milliseconds: network}, {Name: "cpu", Milliseconds: cpu}, {Name: "lock", Milliseconds: lock}, {Name: "log", Milliseconds: log}}},
				{Kind: "payment", Response: 10, Samples: n / 10, Parts: []job.TimePart{{Name: job.PartStartLag}, {Name: job.PartClient}, {Name: "network", Milliseconds: 10}, {Name: "cpu"}, {Name: "lock"}, {Name: "log"}}},
			},
		}
	}
	here := func(busy float64) job.Beside {
		return job.Beside{Client: &job.ClientLoad{Machine: &job.MachineLoad{Cores: 8, Busy: busy, Server: busy / 2}}}
	}
	two := job.Measured{Kinds: []string{"new order", "payment"}}
	with := func(b job.Beside, a *job.Activity) job.Result {
		b.Activity = a
		return job.Result{Measured: two, Beside: b}
	}
	bound := here(8)
	bound.Client.Limits = []job.ClientLimit{{Rule: "cores", Bound: true}}
	paced := with(here(2), profile(1000, 1, 1, 1, 7))
	paced.Pace = &job.Pace{Reached: 100}
	for want, r := range map[string]job.Result{
		"": {Beside: job.Beside{Activity: &job.Activity{Samples: 5}}},
		"what limited it cannot be told, because it is hidden":                                                                                                                         {Beside: job.Beside{Activity: &job.Activity{Joined: &job.Joined{Undivided: "it is hidden"}}}},
		"limited by the client, which could not do more: the server was not the limit":                                                                                                 with(bound, profile(1000, 1, 1, 1, 7)),
		"limited by the load: the run kept the requested rate, with 0.15 active sessions on average":                                                                                   paced,
		"what limited it cannot be told from 20 samples of transactions":                                                                                                               with(here(2), profile(20, 1, 1, 1, 7)),
		"limited by the log: 63 % of the time of transactions is writing the log, most in new order (70 %), mostly IO/WalSync; 4.0 of 8 cores idle":                                    with(here(4), profile(1000, 1, 1, 1, 7)),
		"limited by locks: 72 % of the time of transactions is waiting for locks, most in new order (80 %)":                                                                            with(job.Beside{}, profile(1000, 0, 1, 8, 1)),
		"limited by CPU: 81 % of the time of transactions is the server's CPU, most in new order (90 %); 0.2 of 8 cores idle":                                                          with(here(7.8), profile(1000, 0, 9, 1, 0)),
		"not limited by the server: 81 % of the time of transactions is the server's CPU, most in new order (90 %); 6.0 of 8 cores idle. More users would do more":                     with(here(2), profile(1000, 0, 9, 1, 0)),
		"the server computes: 81 % of the time of transactions is the server's CPU, most in new order (90 %). Whether its cores were full is not known; an agent on its machine tells": with(job.Beside{}, profile(1000, 0, 9, 1, 0)),
		"limited by round trips: 82 % of the time of transactions is being on the way, most in new order (80 %). More users, or fewer round trips, would do more":                      with(job.Beside{}, profile(1000, 8, 1, 1, 0)),
		"no single limit: transactions spend their time in the server's CPU 36 %, waiting for locks 27 %, being on the way 19 %":                                                       with(job.Beside{}, profile(1000, 1, 4, 3, 2)),
	} {
		if got := bottleneck(r); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
