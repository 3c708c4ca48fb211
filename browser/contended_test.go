//go:build browser

package browser

import (
	"math"

	"sledge/internal/job"
	"sledge/internal/repository/repositorytest"
)

// contended adds what observers found in an invented run of 120 seconds on PostgreSQL, and returns its result. From second 60 to
// 75 a user of psql holds a district's row. Then the payments and the new orders of that district wait, and the server
// writes less log.
func contended(run *repositorytest.Going) job.Beside {
	const held, released = 60, 75
	locked := func(second int) bool { return second >= held && second < released }
	wave := func(second int) float64 { return math.Sin(2 * math.Pi * float64(second) / 40) }
	run.Samples(func(second int) []job.Sample {
		work, wait := 1.0+0.15*wave(second), 0.0
		if locked(second) {
			work, wait = 0.35, 1
		}
		of := func(name, unit string, value float64, labels ...string) job.Sample {
			s := job.Sample{Series: job.Series{Name: name, Unit: unit, Labels: map[string]string{}}, Value: math.Round(100*value) / 100}
			for i := 0; i < len(labels); i += 2 {
				s.Labels[labels[i]] = labels[i+1]
			}
			return s
		}
		const client, db = "client", "db1"
		return []job.Sample{
			of("CPU", "%", 40*work, "machine", client, "mode", "user"), of("CPU", "%", 15*work, "machine", client, "mode", "system"), of("disk queue", "requests", 3*work, "machine", client, "disk", "sda"),
			of("CPU", "%", 52*work, "machine", db, "mode", "user"), of("CPU", "%", 14*work, "machine", db, "mode", "system"), of("CPU", "%", 6*work, "machine", db, "mode", "waiting for disks"),
			of("disk throughput", "MB a second", 21*work, "machine", db, "disk", "nvme0n1", "direction", "written"), of("disk throughput", "MB a second", 3*work, "machine", db, "disk", "nvme0n1", "direction", "read"),
			of("disk in use", "%", 38*work, "machine", db, "disk", "nvme0n1"),
			of(job.ActiveSessions, "", 4*work, "class", "cpu"), of(job.ActiveSessions, "", 0.6+9*wait, "class", "lock"), of(job.ActiveSessions, "", 1.6*work, "class", "log"),
			of(job.ActiveBackground, "", 0.5+0.5*wave(second), "class", "write"),
			of("server's WAL", "MB/s", 18*work), of("server's blocks", "1/s", 61000*work, "of", "hit"), of("server's blocks", "1/s", 900*work, "of", "read"),
			of("server's rows", "1/s", 9800*work, "of", "inserted"), of("server's rows", "1/s", 14200*work, "of", "updated"), of("server's rows", "1/s", 420*work, "of", "deleted"),
		}
	})
	const neword, payment, delivery = "SELECT neword(?, ?, ?, ?, ?, ?)", "SELECT payment(?, ?, ?, ?, ?, ?, ?)", "SELECT delivery(?, ?)"
	run.Active(func(second int) []job.ActivityShare {
		if second == 30 || second == 31 {
			return nil // the server did not answer
		}
		work, waiting, holder := 20+int64(3*wave(second)), int64(3), "payment"
		if locked(second) {
			work, waiting, holder = 7, 48, "session 4711 (psql)"
		}
		shares := []job.ActivityShare{
			{Sessions: work / 2, Class: "cpu", Transaction: "new order", Statement: neword},
			{Sessions: work / 4, Class: "cpu", Transaction: "payment", Statement: payment},
			{Sessions: 1 + work/9, Class: "cpu", Transaction: "delivery", Statement: delivery},
			{Sessions: work / 4, Class: "log", Wait: "IO/WalSync", Transaction: "new order", Statement: neword},
			{Sessions: work / 6, Class: "log", Wait: "LWLock/WALWrite", Transaction: "payment", Statement: payment},
			{Sessions: waiting * 5 / 8, Class: "lock", Wait: "Lock/transactionid", Transaction: "payment", Statement: payment, Blocker: holder},
			{Sessions: waiting / 3, Class: "lock", Wait: "Lock/tuple", Transaction: "new order", Statement: neword, Blocker: holder},
			{Sessions: 1 + work/10, Class: "read", Wait: "IO/DataFileRead", Transaction: "stock level", Statement: "SELECT slev(?, ?, ?)"},
			{Sessions: 2, Class: "network", Wait: "Client/ClientRead", Statement: "BEGIN"},
			{Sessions: 2, Class: "write", Wait: "IO/DataFileWrite", Background: "checkpointer"},
		}
		if locked(second) {
			shares = append(shares, job.ActivityShare{Sessions: 5, Class: "network", Wait: "Client/ClientRead", Program: "psql", Statement: "UPDATE district SET d_ytd = d_ytd WHERE d_w_id = ? AND d_id = ?"})
		}
		return shares
	})
	part := func(name string, ms, standardError float64) job.TimePart {
		p := job.TimePart{Name: name, Milliseconds: ms}
		if standardError > 0 {
			p.Error = &standardError
		}
		return p
	}
	split := func(kind string, samples int64, lag, client, network, cpu, lock, log, read float64) job.TimeSplit {
		return job.TimeSplit{Kind: kind, Samples: samples, Response: lag + client + network + cpu + lock + log + read, Parts: []job.TimePart{
			part(job.PartStartLag, lag, 0), part(job.PartClient, client, 0), part("network", network, network/20), part("cpu", cpu, cpu/30), part("lock", lock, lock/8), part("log", log, log/15), part("read", read, read/10),
		}}
	}
	shares := []job.ActivityShare{
		{Sessions: 1190, Class: "cpu", Transaction: "new order", Statement: neword},
		{Sessions: 860, Class: "lock", Wait: "Lock/transactionid", Transaction: "payment", Statement: payment},
		{Sessions: 590, Class: "log", Wait: "IO/WalSync", Transaction: "new order", Statement: neword},
		{Sessions: 240, Class: "write", Wait: "IO/DataFileWrite", Background: "checkpointer"},
	}
	counter := func(source, name, means, unit string, value float64, summary bool, parts ...job.CounterPart) job.ServerCounter {
		return job.ServerCounter{Source: source, Name: name, Means: means, Unit: unit, Value: value, PerSecond: value / 120, PerTransaction: value / 7200, Summary: summary, Parts: parts}
	}
	before := 1_250_000_000.0
	statement := func(id, text string, calls int64, seconds float64, rows int64) job.Statement {
		return job.Statement{ID: id, Text: text, Calls: calls, Seconds: seconds, Rows: rows}
	}
	return job.Beside{
		Activity: &job.Activity{
			Samples: 590, Missed: 10, Shares: shares, Joined: &job.Joined{Certain: 3200, Likely: 210, None: 230, Foreign: 75},
			Transactions: []job.TimeSplit{
				split("new order", 1560, 0.05, 0.14, 0.9, 2.6, 1.5, 1.3, 0.2), split("payment", 1470, 0.04, 0.08, 0.5, 1.1, 4.9, 0.8, 0.1), split("delivery", 210, 0.05, 0.16, 0.7, 5.2, 0.3, 0.9, 0.6),
				split("stock level", 170, 0, 0.07, 0.4, 1.9, 0, 0, 1.4), split("order status", 21, 0, 0.05, 0.3, 0.4, 0, 0, 0),
			},
		},
		Client: &job.ClientLoad{CPUSeconds: 31, CoresUsed: 0.26, Cores: 16, MaxProcs: 16, Judged: 120},
		ServerCounters: &job.ServerCounters{
			Seconds: 120.1, Counters: []job.ServerCounter{
				counter("pg_stat_wal", "wal_bytes", "WAL written, by its position", "bytes", 2_100_000_000, true),
				counter("pg_stat_wal", "wal_sync", "flushes of WAL", "", 71_400, true),
				counter("pg_stat_database", "blks_read", "blocks read from files", "", 108_000, true),
				counter("pg_stat_database", "deadlocks", "deadlocks", "", 3, false),
				{Source: "size", Name: "database", Means: "size of the database", Unit: "bytes", Value: 1_310_000_000, Before: &before, Summary: true},
				counter("pg_stat_user_tables", "n_tup_upd", "rows updated", "", 1_700_000, false, job.CounterPart{Of: "stock", Value: 1_210_000}, job.CounterPart{Of: "district", Value: 240_000}),
			},
			Missing: []job.MissingCounters{{Source: "pg_stat_io", Why: "the server has it from version 16 on"}},
		},
		Statements: &job.Statements{
			Seconds: 120.1, Others: 41, OthersSeconds: 2.4, Top: []job.Statement{
				statement("81", payment, 31_020, 214.2, 31_020), statement("82", neword, 32_400, 187.6, 32_400),
				statement("84", "UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3", 31_020, 171.4, 31_020), statement("83", delivery, 3_110, 22.8, 3_110),
			},
		},
	}
}

// db1 is the machine of the server, which the run watched through an agent, as JSON.
const db1 = `{"name": "db1", "os": "debian 12", "arch": "amd64", "cpu": "a processor", "cpus": 8, "memory_bytes": 68719476736}`
