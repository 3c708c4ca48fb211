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
	busy := with(job.Beside{ServerCounters: &job.ServerCounters{Counters: []job.ServerCounter{{Source: "cpu", Name: "used_cpu_user_main_thread", PerSecond: 0.6}, {Source: "cpu", Name: "used_cpu_sys_main_thread", PerSecond: 0.35}, {Source: "cpu", Name: "used_cpu_sys", PerSecond: 3}}}}, &job.Activity{Joined: &job.Joined{Undivided: "it is hidden"}})
	locked := profile(1000, 0, 1, 8, 1)
	locked.Shares = append(locked.Shares, job.ActivityShare{Sessions: 3, Class: "lock", Wait: "row lock", Transaction: "payment", Blocker: "session 7 (mysql)"}, job.ActivityShare{Sessions: 2, Class: "lock", Wait: "row lock", Transaction: "payment", Blocker: "payment"})
	for want, r := range map[string]job.Result{
		"": {},
		"what limited it cannot be told, because the server's sessions cannot be joined with transactions":                                                                             {Beside: job.Beside{Activity: &job.Activity{Samples: 5}}},
		"what limited it cannot be told, because the server's sessions were not sampled":                                                                                               with(here(2), nil),
		"limited by the server's main thread, which executes all commands: it used 95 % of a core":                                                                                     busy,
		"limited by locks: 72 % of the time of transactions is waiting for locks, most in new order (80 %), mostly row lock of session 7 (mysql)":                                      with(job.Beside{}, locked),
		"what limited it cannot be told, because it is hidden":                                                                                                                         {Beside: job.Beside{Activity: &job.Activity{Joined: &job.Joined{Undivided: "it is hidden"}}}},
		"limited by the client, which could not do more: the server was not the limit":                                                                                                 with(bound, profile(1000, 1, 1, 1, 7)),
		"limited by the load: the run kept the requested rate, with 0.15 active sessions on average":                                                                                   paced,
		"what limited it cannot be told from 20 samples of transactions":                                                                                                               with(here(2), profile(20, 1, 1, 1, 7)),
		"limited by log flushes: 63 % of the time of transactions is writing the log, most in new order (70 %), mostly IO/WalSync; 4.0 of 8 cores idle":                                with(here(4), profile(1000, 1, 1, 1, 7)),
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

// Each rule and each piece of evidence is planted in a run that waits for the log, or computes.
func TestBottleneck_StatesItsEvidence(t *testing.T) {
	base := func(class, wait string) job.Result {
		a := &job.Activity{Samples: 50, Joined: &job.Joined{}, Shares: []job.ActivityShare{{Sessions: 100, Class: class, Wait: wait, Transaction: "payment"}, {Sessions: 50, Class: class, Wait: wait, Background: "walwriter"}}}
		a.Transactions = []job.TimeSplit{{Kind: "payment", Response: 10, Samples: 500, Parts: []job.TimePart{{Name: "network", Milliseconds: 2}, {Name: class, Milliseconds: 8}}}}
		return job.Result{Beside: job.Beside{Activity: a, Client: &job.ClientLoad{Machine: &job.MachineLoad{Cores: 4, Busy: 2, Client: 0.2, Server: 1.5, Others: 0.1}}}}
	}
	const log = "limited by log flushes: 80 % of the time of transactions is writing the log, mostly IO/WalSync"
	const cpu = "limited by CPU: 80 % of the time of transactions is the server's CPU"
	uses := func(list ...job.ResourceUse) *job.Resources {
		for i := range list {
			list[i].Machine = "client"
		}
		return &job.Resources{Server: "client", Cores: 4, Uses: list}
	}
	use := func(resource, of, measure string, mean, worst, limit float64) job.ResourceUse {
		return job.ResourceUse{Resource: resource, Of: of, Measure: measure, Limit: limit, Aspect: job.Saturation, Values: &job.UseValues{Mean: mean, Worst: worst, WorstAt: 7}}
	}
	counters := func(source string, list ...job.ServerCounter) *job.ServerCounters {
		for i := range list {
			list[i].Source = source
		}
		return &job.ServerCounters{Seconds: 10, Counters: list}
	}
	change := func(percent float64) *float64 { return &percent }
	for _, tt := range []struct {
		name, class, wait string
		plant             func(*job.Result)
		want              string
	}{
		{"nothing else", "log", "IO/WalSync", func(*job.Result) {}, log + "; 2.0 of 4 cores idle"},
		{"a session that waits for the flush of another", "log", "LWLock/WALWrite", func(*job.Result) {}, "limited by log flushes: 80 % of the time of transactions is writing the log, mostly LWLock/WALWrite; 2.0 of 4 cores idle"},
		{"another wait for the log", "log", "LWLock/WALInsert", func(*job.Result) {}, "limited by the log: 80 % of the time of transactions is writing the log, mostly LWLock/WALInsert; 2.0 of 4 cores idle"},
		{"the time of flushes", "log", "IO/WalSync", func(r *job.Result) {
			r.ServerCounters = counters("pg_stat_wal", job.ServerCounter{Name: "wal_sync", Value: 1000}, job.ServerCounter{Name: "wal_sync_time", Value: 2100})
		}, log + "; a flush takes 2.10 ms; 2.0 of 4 cores idle"},
		{"the time of flushes of PostgreSQL 18", "log", "IO/WalSync", func(r *job.Result) {
			parts := func(data, wal float64) []job.CounterPart {
				return []job.CounterPart{{Of: "checkpointer, relation, normal", Value: data}, {Of: "client backend, wal, normal", Value: wal}}
			}
			r.ServerCounters = counters("pg_stat_io", job.ServerCounter{Name: "fsyncs", Value: 700, Parts: parts(200, 500)}, job.ServerCounter{Name: "fsync_time", Value: 9000, Parts: parts(8000, 1000)})
		}, log + "; a flush takes 2.00 ms; 2.0 of 4 cores idle"},
		{"the number of flushes alone: three sessions flush on average, 100 times a second", "log", "IO/WALSync", func(r *job.Result) {
			r.ServerCounters = counters("pg_stat_wal", job.ServerCounter{Name: "wal_sync", Value: 1000}, job.ServerCounter{Name: "wal_sync_time"})
		}, "limited by log flushes: 80 % of the time of transactions is writing the log, mostly IO/WALSync; a flush takes about 30.0 ms; 2.0 of 4 cores idle"},
		{"a disk", "log", "IO/WalSync", func(r *job.Result) {
			r.Resources = uses(use("disk", "sda", "response time of flushes", 1, 9, 0), use("disk", "sdb", "response time of flushes", 3, 9, 0), use("disk", "sdc", "response time of reads", 8, 9, 0))
		}, log + "; disk sdb takes 3.00 ms for a flush; 2.0 of 4 cores idle"},
		{
			"reads", "read", "IO/DataFileRead", func(r *job.Result) { r.Resources = uses(use("disk", "sdc", "response time of reads", 8, 9, 0)) },
			"limited by reads: 80 % of the time of transactions is reading data files, mostly IO/DataFileRead; disk sdc takes 8.00 ms for a read; 2.0 of 4 cores idle",
		},
		{"a full machine", "cpu", "", func(r *job.Result) { r.Client.Machine.Busy = 3.9 }, cpu + "; 0.1 of 4 cores idle"},
		{
			"a full machine, on which threads wait", "network", "", func(r *job.Result) { r.Client.Machine.Busy = 3.9 },
			"limited by CPU: all cores were in use, and threads waited for one; 100 % of the time of transactions is being on the way; 0.1 of 4 cores idle",
		},
		{"some of it by others", "cpu", "", func(r *job.Result) {
			m := r.Client.Machine
			m.Busy, m.Server, m.Others, m.Processes = 3.9, 2.5, 1.2, []job.ProcessLoad{{Name: "backup", Cores: 1.1}}
		}, cpu + "; 0.1 of 4 cores idle, and other programs used 1.20 (most: backup 1.10)"},
		{"most of it by others", "cpu", "", func(r *job.Result) {
			m := r.Client.Machine
			m.Busy, m.Server, m.Others, m.Processes = 3.9, 1.2, 2.5, []job.ProcessLoad{{Name: "backup", Cores: 2}, {Name: "cc", Cores: 0.4}}
		}, "limited by other programs on the server's machine: of 4 cores in use, other programs used 2.50 (most: backup 2.00, cc 0.40), the server 1.20 and the client 0.20"},
		{"a lock on a machine that others fill", "lock", "Lock/tuple", func(r *job.Result) {
			m := r.Client.Machine
			m.Busy, m.Server, m.Others = 3.9, 1.2, 2.5
		}, "limited by locks: 80 % of the time of transactions is waiting for locks, mostly Lock/tuple; 0.1 of 4 cores idle, and other programs used 2.50"},
		{"stolen cores", "cpu", "", func(r *job.Result) {
			r.Resources = uses(use("CPU", "", "in use", 60, 70, 90), use("CPU", "", "stolen by the host", 35, 50, 5))
		}, "limited by the host of the server's virtual machine: it took 35 % of the CPU, at most 50 % in second 7; the machine used 60 %"},
		{"a few stolen cores", "log", "IO/WalSync", func(r *job.Result) {
			r.Resources = uses(use("CPU", "", "in use", 60, 70, 90), use("CPU", "", "stolen by the host", 6, 50, 5))
		}, log + "; 2.0 of 4 cores idle"},
		{
			"a throttled container with an agent", "cpu", "", func(r *job.Result) {
				r.Resources = uses(use("CPU limit", "", "throttled", 31, 60, 10))
				r.Resources.Server, r.Resources.Uses[0].Machine = "db1", "db1"
			},
			"limited by the CPU limit of the server's container: it was throttled 31 % of the time, at most 60 % in second 7",
		},
		{
			"a throttled container of server and client", "cpu", "", func(r *job.Result) {
				r.Client.CgroupCores = 1.6
				r.Resources = uses(use("CPU limit", "", "throttled", 31, 60, 10))
			},
			"limited by the CPU limit of the server's container: it was throttled 31 % of the time, at most 60 % in second 7",
		},
		{
			"a throttled container of the client, with the server elsewhere on its machine", "cpu", "", func(r *job.Result) {
				r.Client.CgroupCores = 1
				r.Resources = uses(use("CPU limit", "", "throttled", 31, 60, 10))
			}, "not limited by the server: 80 % of the time of transactions is the server's CPU; 2.0 of 4 cores idle. More users would do more",
		},
		{
			"a throttled container whose limit the client used", "cpu", "", func(r *job.Result) {
				m := r.Client.Machine
				r.Client.CgroupCores, m.Client, m.Server = 0.3, 0.2, 0.1
				r.Resources = uses(use("CPU limit", "", "throttled", 31, 60, 10))
			}, "not limited by the server: 80 % of the time of transactions is the server's CPU; 2.0 of 4 cores idle. More users would do more",
		},
		{
			"memory", "cpu", "", func(r *job.Result) { r.Resources = uses(use("memory", "", "some thread waits", 34, 80, 20)) },
			"limited by the memory of the server's machine: threads waited for memory 34 % of the time, at most 80 % in second 7",
		},
		{"an agent on the server's machine", "cpu", "", func(r *job.Result) {
			r.Client.Machine.Server = 0
			r.Resources = uses(use("CPU", "", "in use", 95, 99, 90))
		}, cpu + "; 0.2 of 4 cores idle"},
		{"another machine that is short of memory", "log", "IO/WalSync", func(r *job.Result) {
			r.Resources = uses(use("memory", "", "some thread waits", 34, 80, 20))
			r.Resources.Server = "db1"
		}, log + "; 2.0 of 4 cores idle"},
		{"a row that another program holds", "lock", "Lock/transactionid", func(r *job.Result) {
			r.Blocked = &job.Blocked{Blocker: "session 7 (psql)", Transaction: "payment", Sessions: 90, From: 1, Until: 5}
			r.Activity.Shares = append(r.Activity.Shares, job.ActivityShare{Sessions: 40, Class: "network", Wait: "Client/ClientRead", Program: "psql", Statement: "UPDATE district SET d_ytd = d_ytd WHERE d_id = ?"})
		}, "limited by locks: 80 % of the time of transactions is waiting for locks, mostly Lock/transactionid; payment waited for session 7 (psql), whose newest statement was UPDATE district SET d_ytd = d_ytd WHERE d_id = ?, from second 1 to 5; 2.0 of 4 cores idle"},
		{"rows that payments hold", "lock", "Lock/tuple", func(r *job.Result) {
			r.Blocked = &job.Blocked{Blocker: "payment", Sessions: 90, From: 0, Until: 9}
		}, "limited by locks: 80 % of the time of transactions is waiting for locks, mostly Lock/tuple; sessions waited for payment from second 0 to 9; 2.0 of 4 cores idle"},
		{"a row that was held for a while", "log", "IO/WalSync", func(r *job.Result) {
			r.Slowest = &job.Slowdown{From: 20, Until: 30, Change: -94, Class: "lock", Blocked: &job.Blocked{Blocker: "session 7 (psql)", Transaction: "payment", From: 20, Until: 30}}
		}, log + "; 2.0 of 4 cores idle; slowest from second 20 to 30, with 94 % fewer transactions, when payment waited for session 7 (psql) from second 20 to 30"},
		{"a slowdown", "log", "IO/WalSync", func(r *job.Result) {
			r.Slowest = &job.Slowdown{From: 3, Until: 5, Change: -45.2, Class: "lock", Others: 2}
		}, log + "; 2.0 of 4 cores idle; slowest from second 3 to 5, with 45 % fewer transactions, when more sessions were waiting for locks (one of 3 slow times)"},
		{"a slowdown during a checkpoint", "log", "IO/WalSync", func(r *job.Result) {
			r.Slowest = &job.Slowdown{From: 3, Until: 5, Change: -45, Class: "write", Background: "checkpoint"}
			r.Background = []job.BackgroundWork{{Work: "checkpoint", From: 2.4, Until: 4.9, Change: change(-45)}}
		}, log + "; 2.0 of 4 cores idle; slowest from second 3 to 5, with 45 % fewer transactions, during a checkpoint"},
		{"the checkpoint that cost most", "log", "IO/WalSync", func(r *job.Result) {
			r.Background = []job.BackgroundWork{
				{Work: "checkpoint", From: 1, Until: 2, Change: change(2)},
				{Work: "checkpoint", From: 7.2, Until: 8.1, Change: change(-4)},
				{Work: "vacuum of stock", From: 3, Until: 4, Change: change(-9)},
			}
		}, log + "; 2.0 of 4 cores idle; a checkpoint ran from second 7 to 9, with 4 % fewer transactions than in other seconds"},
		{"a vacuum that cost much", "log", "IO/WalSync", func(r *job.Result) {
			r.Background = []job.BackgroundWork{{Work: "vacuum of stock", From: 3, Until: 4, Change: change(-30)}}
		}, log + "; 2.0 of 4 cores idle; a vacuum of stock ran from second 3 to 4, with 30 % fewer transactions than in other seconds"},
	} {
		r := base(tt.class, tt.wait)
		tt.plant(&r)
		if got := bottleneck(r); got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestBottlenecks_HaveSources(t *testing.T) {
	for _, rule := range bottlenecks {
		if rule.name == "" || len(rule.source) < 10 || rule.says == nil {
			t.Errorf("%q: a rule needs a name and a source", rule.name)
		}
	}
}
