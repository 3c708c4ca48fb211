// Package reporttest has jobs of every kind, and golden files, for tests of reports. It knows
// no front end.
package reporttest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares got with a file in testdata.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// Began is the time at which the jobs began.
var Began = time.Date(2025, 4, 14, 17, 9, 51, 0, time.UTC)

// Kinds and Labels are those of TPROC-C.
var (
	Kinds  = []string{"new order", "payment", "delivery", "stock level", "order status"}
	Labels = []string{"NEWORD", "PAYMENT", "DELIVERY", "SLEV", "OSTAT"}
)

// Measured returns service times of 1, 2, ... 1000 ms for new orders, a tenth of them for payments,
// and no stock level.
func Measured() meter.Summary {
	stripe, sum := meter.NewStripe(), meter.NewSummary(len(Kinds))
	done := func(kind meter.Kind, service time.Duration) {
		stripe.Record(meter.Record{Kind: kind, Service: service, Response: service + 50*time.Microsecond})
	}
	for i := 1; i <= 1000; i++ {
		done(0, time.Duration(i)*time.Millisecond)
		done(1, time.Duration(i)*time.Millisecond/10)
	}
	for range 100 {
		done(2, 12*time.Microsecond)
		done(4, 2*time.Second)
	}
	for range 10 {
		stripe.Record(meter.Record{Kind: 0, Outcome: meter.RolledBack})
	}
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Deadlock, Retries: 10})
	stripe.Record(meter.Record{Kind: 1, Outcome: meter.Failed, Class: meter.Connection})
	stripe.Take(&sum)
	sum.Elapsed = 5 * time.Minute
	return sum
}

// Run returns a run that succeeded.
func Run() job.Job {
	return job.Job{
		ID: "67FD3345479A03E263133333",
		Spec: job.Spec{
			Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 4, Seed: 7,
			Options: option.Values{"warehouses": "10", "rampup": "2"},
		},
		Kinds: Kinds, Status: job.Succeeded, Begun: Began, Ended: Began.Add(7 * time.Minute), PID: 4711,
		Facts: &job.Facts{
			SledgeVersion: "1.0.0", Server: "PostgreSQL 16.4", Target: "localhost:5432/tpcc", Size: "10 warehouses",
			ServerSettings: map[string]string{"fsync": "on"}, Durability: &job.Durability{Holds: true, Why: "fsync and synchronous_commit are on"},
			Host: job.Host{Name: "client", OS: "debian 12", Arch: "amd64", CPUs: 2, MemoryBytes: 8 << 30},
		},
		Result: job.Result{
			Status: job.Succeeded, Line: "TEST RESULT : System achieved 15824 NOPM from 36400 PostgreSQL TPM",
			Metrics: []job.Metric{{Name: "NOPM", Value: 15824, Means: "new orders a minute"}, {Name: "TPM", Value: 36400, Means: "transactions a minute"}, {Name: "QphH", Value: 1234567.899}},
			Extent:  job.Extent{Users: 4, Started: Began.Add(2 * time.Minute), Elapsed: 300}, Measured: job.Measured{Kinds: Kinds},
			Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 79_120, Server: 79_121, Low: 79_116, High: 79_130, Holds: true}},
		},
	}
}

// Steps returns a run with one idle user for three minutes, and then with 4 users.
func Steps() job.Job {
	j := Run()
	idle, busy := meter.NewSummary(len(Kinds)), Measured()
	idle.Elapsed, busy.Elapsed = 3*time.Minute, 2*time.Minute
	j.Result.Steps = []job.LoadStep{
		{Users: 1, Elapsed: 180, Metrics: []job.Metric{{Name: "client NOPM"}, {Name: "client TPM"}}, Measured: idle.Coded()},
		{Users: 4, From: 180, Elapsed: 120, Metrics: []job.Metric{{Name: "client NOPM", Value: 500}, {Name: "client TPM", Value: 1105}}, Measured: busy.Coded()},
	}
	return j
}

// Partial returns a stopped run with unrecorded events.
func Partial() job.Job {
	j := Run()
	j.Status, j.Reason = job.Partial, "the run was stopped\nafter 5 minutes"
	j.Result.Agreement.Server, j.Result.Agreement.Holds = 90_000, false
	j.Dropped = 12_345
	return j
}

// Killed returns a run whose process was killed.
func Killed() job.Job {
	j := Run()
	j.Status, j.Reason, j.Facts, j.Result = job.Killed, "its process, 4711, went away without ending it", nil, job.Result{}
	return j
}

// Build returns a build.
func Build() job.Job {
	return job.Job{
		ID: "67FD3345479A03E263133334", Spec: job.Spec{Action: job.Build, Database: "mariadb", Workload: "tprocc", Seed: 1},
		Status: job.Succeeded, Begun: Began,
		Result: job.Result{Extent: job.Extent{Elapsed: 12.5}, SchemaWork: job.SchemaWork{Loaded: []job.TableLoad{
			{Table: "item", Rows: 100_000, Bytes: 8_900_000, Seconds: 2.5},
			{Table: "order_line", Rows: 300_123, Bytes: 21_000_000, Seconds: 7},
			{Table: "warehouse", Rows: 1, Bytes: 90},
		}}},
	}
}

// Check returns a check that found broken rules.
func Check() job.Job {
	return job.Job{
		ID: "67FD3345479A03E263133335", Spec: job.Spec{Action: job.Check, Database: "sqlite", Workload: "tprocc", Seed: 1},
		Status: job.Failed, Reason: "1 rule is broken", Begun: Began,
		Result: job.Result{Extent: job.Extent{Elapsed: 0.75}, SchemaWork: job.SchemaWork{Findings: []job.Finding{
			{Rule: "1", Title: "w_ytd is the sum of d_ytd", Source: "TPC-C 3.3.2.1", Holds: true},
			{
				Rule: "2", Title: "d_next_o_id is one above the newest order", Source: "TPC-C 3.3.2.2", Cause: "explained for all 2 rows that break it: a fault that is known", Columns: []string{"d_w_id", "d_id", "d_next_o_id"},
				Rows: [][]string{{"1", "3", "3001"}, {"1", "10", "\x1b[2J31"}},
			},
			{Rule: "3", Title: "new_order has no gap", Excuse: "HammerDB built this schema"},
			{Rule: "4", Title: "the sum of ol_cnt is right", Error: "no such table: orders"},
		}}},
	}
}

// Remove returns a delete.
func Remove() job.Job {
	return job.Job{
		Spec:   job.Spec{Action: job.Delete, Database: "sqlite", Workload: "tprocc", Seed: 1},
		Status: job.Succeeded, Begun: Began, Result: job.Result{Extent: job.Extent{Elapsed: 0.1}},
	}
}

// Ceiling returns a measurement of what the client can drive.
func Ceiling() job.Job {
	c := job.Ceiling{
		Protocol: "PostgreSQL", Title: "TPROC-C", TransactionsPerSecond: 303_030.3, Cores: 2, CPUMicroseconds: 6.6, SpreadPercent: 2.12, Loops: 1,
	}
	for _, us := range []float64{6.6, 6.53, 6.58, 6.67, 6.61} {
		c.Repeats = append(c.Repeats, job.CeilingRepeat{Seconds: 2.0003, Transactions: int64(2 / us * 1e6), CPUSeconds: 2, BusyPercent: 100, CPUMicroseconds: us})
	}
	return job.Job{
		ID: "67FD3345479A03E263133336", Spec: job.Spec{Action: job.MeasureCeiling, Database: "postgresql", Workload: "tprocc", Seed: 1, Users: 64},
		Status: job.Succeeded, Begun: Began,
		Result: job.Result{
			Extent: job.Extent{Users: 64, Elapsed: 15.6}, Ceiling: &c,
			Metrics: []job.Metric{{Name: "TPS", Value: c.TransactionsPerSecond, Means: "transactions a second that the client on this machine can drive"}},
		},
	}
}

// Imported returns a run that HammerDB recorded, as part of a profile.
func Imported() job.Job {
	j := Run()
	j.Origin, j.Kinds, j.Facts, j.Profile, j.Spec.Seed = "HammerDB", nil, &job.Facts{Server: "16.4"}, 5, 0
	j.Result = job.Result{Line: j.Result.Line, Metrics: j.Result.Metrics[:2], Extent: job.Extent{Users: 4}}
	return j
}

// Figures returns a run with a number of users and a result, begun some minutes after the first.
func Figures(id string, minute, users int, orders float64) job.Job {
	j := Run()
	j.ID, j.Begun = job.ID(id), Began.Add(time.Duration(minute)*time.Minute)
	j.Spec.Users, j.Result.Users = users, users
	j.Result.Metrics = []job.Metric{{Name: "NOPM", Value: orders}, {Name: "TPM", Value: orders * 2}}
	return j
}

// Ended returns j with another status.
func Ended(j job.Job, status job.Status) job.Job {
	j.Status = status
	if status != job.Invalid && status != job.Partial {
		j.Result = job.Result{}
	}
	return j
}

// Queries returns a run of TPROC-H that HammerDB recorded.
func Queries() job.Job {
	return job.Job{
		ID: "67FD3345479A03E26313FFFF", Origin: "HammerDB", Status: job.Succeeded, Begun: Began,
		Spec:  job.Spec{Action: job.Run, Database: "mssqlserver", Workload: "tproch"},
		Facts: &job.Facts{Server: "2022-CU1 16.0"},
		Result: job.Result{
			Line:    "Geometric mean of query times returning rows (22) is 1.23456",
			Metrics: []job.Metric{{Name: "query sets", Value: 1}, {Name: "query set seconds", Value: 52}, {Name: "geomean", Value: 1.23456}},
		},
	}
}
