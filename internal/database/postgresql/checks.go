package postgresql

import (
	"fmt"
	"slices"
	"strings"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

const (
	manual = "PostgreSQL manual, "
	guide  = "HammerDB's guide to PostgreSQL"
	tuner  = "timescaledb-tune"
	common = "Common practice"
	reload = "; SELECT pg_reload_conf()"
)

// checks are Runs.Checks. They read the sections of doctor.sql.
var checks = slices.Concat(memoryChecks, logChecks, sessionChecks, vacuumChecks, costChecks, stateChecks)

var memoryChecks = []doctor.Check{
	{
		ID: "pg.shared_buffers", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "about 25 % of the memory, or more than the database",
		Why:    "Pages that are not in the buffers are read again and again.",
		Mend:   "ALTER SYSTEM SET shared_buffers = '8GB', and restart the server",
		Source: manual + "Resource Consumption; " + guide + "; " + tuner,
		Finds: func(f *doctor.Facts) string {
			buffers, memory := f.Size("shared_buffers"), f.MemoryIf()
			text := "shared_buffers is " + doctor.Bytes(buffers)
			if memory > 0 {
				f.Mend = fmt.Sprintf("ALTER SYSTEM SET shared_buffers = '%.0fMB', and restart the server", max(128, memory/4/doctor.MiB))
				text += " of " + doctor.Bytes(memory)
			}
			if memory > 0 && buffers > 0.6*memory {
				return text
			}
			if size, has := f.Told("schema", "size"); has && f.Count("schema", "tables") > 0 && doctor.Number(size) < 0.8*buffers {
				return ""
			}
			return doctor.If(buffers <= 128*doctor.MiB || memory > 0 && buffers < 0.1*memory, "%s", text)
		},
	},
	{
		ID: "pg.huge_pages", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "on",
		Why:    "With pages of 4 KiB, each process has a page table of its own for all shared buffers.",
		Mend:   "See mem.huge; then ALTER SYSTEM SET huge_pages = 'on', with which the server does not start without them",
		Source: guide + "; " + manual + "Linux Huge Pages",
		Finds: func(f *doctor.Facts) string {
			status := f.SettingIf("huge_pages_status") // from PostgreSQL 17 on
			if status == "" && f.Setting("huge_pages") == "off" {
				status = "off"
			}
			return doctor.If(f.Size("shared_buffers") >= 8*doctor.GiB && status == "off", "huge pages are off with %s of shared_buffers", doctor.Bytes(f.Size("shared_buffers")))
		},
	},
	{
		ID: "pg.work_mem", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "work_mem of all users within 25 % of the memory",
		Why:    "Each sort and each hash of each user may take as much.",
		Mend:   "ALTER SYSTEM SET work_mem = '4MB'" + reload,
		Source: guide + "; " + tuner,
		Finds: func(f *doctor.Facts) string {
			each, users, memory := f.Size("work_mem"), f.Load().Connections, f.Memory()
			return doctor.If(each*float64(users) > memory/4, "work_mem is %s for each of %d users, of %s", doctor.Bytes(each), users, doctor.Bytes(memory))
		},
	},
	{
		ID: "mem.overcommit", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "2, or free memory",
		Why:    "Without swap, the kernel kills the server when memory runs out.",
		Mend:   "sysctl vm.overcommit_memory=2",
		Source: manual + "Linux Memory Overcommit",
		Finds: func(f *doctor.Facts) string {
			mode, free, all := f.File("proc/sys/vm/overcommit_memory"), f.Field("proc/meminfo", "MemAvailable"), f.Field("proc/meminfo", "MemTotal")
			return doctor.If(mode == "0" && f.Field("proc/meminfo", "SwapTotal") == 0 && free < 0.2*all, "vm.overcommit_memory is 0, there is no swap, and %.0f %% of the memory is in use", 100*(1-free/max(all, 1)))
		},
	},
}

var logChecks = []doctor.Check{
	{
		ID: "pg.max_wal_size", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "enough for the log of two checkpoint_timeout: at least 4 GB",
		Why:    "When the log reaches its size, a checkpoint begins early, and each page is then written whole again.",
		Mend:   "ALTER SYSTEM SET max_wal_size = '16GB'" + reload,
		Source: "HammerDB's guide: ceil(cores/2) GB, 4 to 64; " + manual + "WAL Configuration; " + tuner,
		Finds: func(f *doctor.Facts) string {
			if f.Load().Analytic {
				return f.Unconcerned()
			}
			return doctor.If(f.Size("max_wal_size") <= 1*doctor.GiB, "max_wal_size is %s", doctor.Bytes(f.Size("max_wal_size")))
		},
	},
	{
		ID: "pg.checkpoint_timeout", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "15 to 60 min, or runs of at least 30 min",
		Why:    "Checkpoints fall into some runs and not into others.",
		Mend:   "ALTER SYSTEM SET checkpoint_timeout = '30min'" + reload,
		Source: guide,
		Finds: func(f *doctor.Facts) string {
			timeout, length := f.Size("checkpoint_timeout"), (f.Load().RampUp + f.Load().Duration).Minutes()
			return doctor.If(!f.Load().Analytic && timeout <= 300 && length < 30, "checkpoint_timeout is %.0f s, and the run takes %.3g min", timeout, length)
		},
	},
	{
		ID: "pg.completion_target", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "0.9",
		Why:    "A checkpoint that writes faster than it must delays everything else.",
		Mend:   "ALTER SYSTEM SET checkpoint_completion_target = 0.9" + reload,
		Source: manual + "WAL Configuration",
		Finds: func(f *doctor.Facts) string {
			target := f.Size("checkpoint_completion_target")
			return doctor.If(target < 0.9, "checkpoint_completion_target is %g", target)
		},
	},
	{
		ID: "pg.fsync", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "on",
		Why:    "The server does not wait for the disk at all, so a result says nothing about a real system.",
		Mend:   "ALTER SYSTEM SET fsync = on" + reload,
		Source: manual + "Write Ahead Log",
		Finds:  func(f *doctor.Facts) string { return doctor.If(f.Setting("fsync") == "off", "fsync is off") },
	},
	{
		ID: "pg.full_page_writes", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "on",
		Why:    "A page that a power failure tears cannot be repaired.",
		Mend:   "ALTER SYSTEM SET full_page_writes = on" + reload,
		Source: manual + "Write Ahead Log",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("full_page_writes") == "off", "full_page_writes is off")
		},
	},
	{
		ID: "pg.synchronous_commit", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "on",
		Why:    "A crash loses commits of up to three wal_writer_delay, or those that a standby has not got.",
		Mend:   "ALTER ROLE USER RESET synchronous_commit, or ALTER SYSTEM SET synchronous_commit = on" + reload,
		Source: manual + "Asynchronous Commit; " + guide,
		Finds: func(f *doctor.Facts) string {
			value := f.Setting("synchronous_commit")
			standbys := f.Setting("synchronous_standby_names") != ""
			return doctor.If(value == "off" || value == "local" && standbys, "synchronous_commit is %s", value)
		},
	},
	{
		ID: "pg.wal_level", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "minimal for fast loads, with max_wal_senders 0, or replica with standbys",
		Why:    "More is written to the log than recovery needs.",
		Mend:   "ALTER SYSTEM SET wal_level = replica, and restart the server",
		Source: guide,
		Finds: func(f *doctor.Facts) string {
			level := f.Setting("wal_level")
			slots, has := f.Told("state", "standbys")
			return doctor.If(level == "logical" && has && slots == "0", "wal_level is logical, and nothing replicates")
		},
	},
	{
		ID: "pg.wal_buffers", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "64 MB to 512 MB for many writers",
		Why:    "Full buffers are flushed by sessions that only want to write.",
		Mend:   "ALTER SYSTEM SET wal_buffers = '64MB', and restart the server",
		Source: guide,
		Finds: func(f *doctor.Facts) string {
			buffers, cores := f.Size("wal_buffers"), 0
			if m := f.Machine(); m != nil {
				cores = m.Cores
			}
			return doctor.If(buffers < 4*doctor.MiB || buffers <= 16*doctor.MiB && cores > 32, "wal_buffers is %s", doctor.Bytes(buffers))
		},
	},
	{
		ID: "pg.sync_standbys", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "no synchronous standby, unless its cost is what is measured",
		Why:    "Commits wait for other servers.",
		Mend:   "ALTER SYSTEM RESET synchronous_standby_names" + reload,
		Source: manual + "Synchronous Replication",
		Finds: func(f *doctor.Facts) string {
			names := f.Setting("synchronous_standby_names")
			return doctor.If(names != "", "synchronous_standby_names is %s", names)
		},
	},
}

var sessionChecks = []doctor.Check{
	{
		ID: "pg.max_connections", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "10 more than the users and the reserved connections, and at most 10 times the users",
		Why:    "Users beyond the limit are refused, and each slot has a cost for each snapshot.",
		Mend:   "ALTER SYSTEM SET max_connections = 200, and restart the server",
		Source: guide + "; " + manual + "Connections and Authentication",
		Finds: func(f *doctor.Facts) string {
			most, reserved, users := f.Size("max_connections"), f.Size("superuser_reserved_connections"), float64(f.Load().Connections)
			text := fmt.Sprintf("max_connections is %.0f, of which %.0f are reserved, for %.0f users", most, reserved, users)
			if most < users+reserved+10 {
				f.Mend = fmt.Sprintf("ALTER SYSTEM SET max_connections = %.0f, and restart the server", users+reserved+50)
				return text
			}
			f.Severity = job.SeverityNote
			return doctor.If(most > 1000 && most > 10*users, "%s", text)
		},
	},
	{
		ID: "pg.timeouts", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "0 for the user of the run",
		Why:    "The server ends statements and sessions of users that think or wait.",
		Mend:   "ALTER ROLE USER SET statement_timeout = 0, and the others alike",
		Source: manual + "Client Connection Defaults",
		Finds: func(f *doctor.Facts) string {
			var found []string
			f.Setting("statement_timeout")
			for _, name := range []string{"statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout", "lock_timeout"} {
				if value := f.SettingIf(name); value != "" && value != "0" {
					found = append(found, name+" is "+value+" s")
				}
			}
			return strings.Join(found, ", ")
		},
	},
	{
		ID: "pg.isolation", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "read committed, or another level on purpose",
		Why:    "At a higher level transactions fail and are retried.",
		Mend:   "ALTER ROLE USER SET default_transaction_isolation = 'read committed'",
		Source: manual + "Transaction Isolation",
		Finds: func(f *doctor.Facts) string {
			level := f.Setting("default_transaction_isolation")
			return doctor.If(level != "read committed", "default_transaction_isolation is %s", level)
		},
	},
	{
		ID: "pg.pooler", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "a direct connection, unless the pooler is part of what is measured",
		Why:    "A pooler forwards each request; in transaction mode, before version 1.21 of pgbouncer, prepared statements fail.",
		Mend:   "Connect to the port of the server itself",
		Source: "pgbouncer.org, Features",
		Finds: func(f *doctor.Facts) string {
			mode := f.Reading("session", "pooling")
			return doctor.If(mode != "", "a connection pooler in %s mode answers", mode)
		},
	},
	{
		ID: "pg.log", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "log_statement none, log_min_duration_statement -1, no auto_explain",
		Why:    "Writing each statement to the log costs time in each transaction.",
		Mend:   "ALTER SYSTEM SET log_statement = none; ALTER SYSTEM SET log_min_duration_statement = -1" + reload,
		Source: common,
		Finds: func(f *doctor.Facts) string {
			var found []string
			if value := f.Setting("log_statement"); value != "none" {
				found = append(found, "log_statement is "+value)
			}
			for _, name := range []string{"log_min_duration_statement", "log_min_duration_sample"} {
				if limit := f.SettingIf(name); limit != "" && limit != "-1" && doctor.Number(limit) < 1 {
					found = append(found, name+" is "+limit+" s")
				}
			}
			for _, name := range []string{"log_duration", "log_executor_stats", "log_statement_stats"} {
				if f.SettingIf(name) == "on" {
					found = append(found, name+" is on")
				}
			}
			if strings.Contains(f.SettingIf("shared_preload_libraries"), "auto_explain") {
				found = append(found, "auto_explain is loaded")
			}
			return strings.Join(found, ", ")
		},
	},
	{
		ID: "pg.extensions", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "only extensions that the run needs",
		Why:    "Each preloaded library costs something in each statement.",
		Mend:   "ALTER SYSTEM RESET shared_preload_libraries, or empty it in postgresql.conf, and restart the server",
		Source: common,
		Finds: func(f *doctor.Facts) string {
			list := preloaded(f)
			return doctor.If(list != "", "shared_preload_libraries has %s", list)
		},
	},
	{
		ID: "pg.build", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "a server without assertions",
		Why:    "A build for developers checks itself, and is several times slower.",
		Mend:   "Install a packaged server",
		Source: manual + "Preset Options: debug_assertions",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("debug_assertions") == "on", "the server was built with assertions")
		},
	},
}

var vacuumChecks = []doctor.Check{
	{
		ID: "pg.autovacuum", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "on, with autovacuum_vacuum_cost_limit 2000 for fast servers",
		Why:    "Dead rows stay in the tables, so a run becomes slower and the next one begins slower.",
		Mend:   "ALTER SYSTEM SET autovacuum = on" + reload,
		Source: guide + "; " + manual + "Automatic Vacuuming",
		Finds: func(f *doctor.Facts) string {
			for _, name := range []string{"autovacuum", "track_counts"} {
				if f.Setting(name) == "off" {
					return name + " is off"
				}
			}
			return ""
		},
	},
	{
		ID: "pg.statistics", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "statistics of all tables",
		Why:    "Without statistics the server may choose bad plans.",
		Mend:   "ANALYZE",
		Source: manual + "Updating Planner Statistics",
		Finds: func(f *doctor.Facts) string {
			n := f.Count("schema", "unanalyzed")
			return doctor.If(n > 0, "tables that were never analyzed: %.0f", n)
		},
	},
	{
		ID: "pg.replication_slots", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "no inactive slot, and no transaction that is 100,000 transactions old",
		Why:    "The server keeps old row versions and log files for it.",
		Mend:   "SELECT pg_drop_replication_slot('NAME'); SELECT pg_terminate_backend(PID)",
		Source: manual + "Replication Slots; Routine Vacuuming",
		Finds: func(f *doctor.Facts) string {
			slots, age := f.Count("state", "inactive slots"), f.Count("state", "horizon")
			switch {
			case slots > 0:
				return fmt.Sprintf("inactive replication slots: %.0f", slots)
			case age > 100_000:
				return fmt.Sprintf("row versions of the last %.0f transactions must be kept", age)
			}
			return ""
		},
	},
	{
		ID: "pg.prepared_xacts", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "none",
		Why:    "A forgotten prepared transaction holds its locks and keeps old row versions.",
		Mend:   "SELECT gid FROM pg_prepared_xacts; ROLLBACK PREPARED 'GID'",
		Source: manual + "PREPARE TRANSACTION",
		Finds: func(f *doctor.Facts) string {
			n := f.Count("state", "prepared")
			return doctor.If(n > 0, "prepared transactions that wait for their end: %.0f", n)
		},
	},
}

var costChecks = []doctor.Check{
	{
		ID: "pg.random_page_cost", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "1.1 on SSDs",
		Why:    "The default of 4 is for disks with moving heads, and makes index scans look expensive.",
		Mend:   "ALTER SYSTEM SET random_page_cost = 1.1" + reload,
		Source: tuner,
		Finds: func(f *doctor.Facts) string {
			cost := f.Size("random_page_cost")
			return doctor.If(cost >= 4, "random_page_cost is %g", cost)
		},
	},
	{
		ID: "pg.jit", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "off for short transactions",
		Why:    "If an estimate is wrong, a short query is compiled, which takes longer than the query.",
		Mend:   "ALTER SYSTEM SET jit = off" + reload,
		Source: manual + "Just-in-Time Compilation",
		Finds: func(f *doctor.Facts) string {
			if f.Load().Analytic {
				return f.Unconcerned()
			}
			return doctor.If(f.Setting("jit") == "on", "jit is on")
		},
	},
	{
		ID: "pg.compute_query_id", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "on",
		Why:    "Without query IDs, statements of sessions cannot be joined with statistics.",
		Mend:   "ALTER SYSTEM SET compute_query_id = on" + reload,
		Source: manual + "Statistics Monitoring",
		Finds: func(f *doctor.Facts) string {
			value := f.SettingIf("compute_query_id") // from PostgreSQL 14 on
			f.Setting("track_activities")
			return doctor.If(value == "off" || value == "auto" && !strings.Contains(preloaded(f), "pg_stat_statements"), "compute_query_id is %s", value)
		},
	},
	{
		ID: "pg.track_io_timing", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "on, if the clock is fast (time.cost)",
		Why:    "Without it, the server reports 0 for the time of reads and writes.",
		Mend:   "ALTER SYSTEM SET track_io_timing = on" + reload,
		Source: manual + "Run-time Statistics; pg_test_timing",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("track_io_timing") == "off", "track_io_timing is off")
		},
	},
	{
		ID: "pg.io_method", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "worker or io_uring",
		Why:    "With sync, each session waits for each of its reads.",
		Mend:   "ALTER SYSTEM SET io_method = worker, and restart the server",
		Source: manual + "Asynchronous I/O (18)",
		Finds: func(f *doctor.Facts) string {
			f.Setting("track_activities")
			return doctor.If(f.SettingIf("io_method") == "sync", "io_method is sync")
		},
	},
	{
		ID: "limit.uring", On: doctor.ServerMachine, Severity: job.SeverityStop,
		Wanted: "0, or io_method worker",
		Why:    "The kernel refuses io_uring, so the server does not start again.",
		Mend:   "sysctl kernel.io_uring_disabled=0, or ALTER SYSTEM SET io_method = worker",
		Source: manual + "Asynchronous I/O (18)",
		Finds: func(f *doctor.Facts) string {
			if f.SettingIf("io_method") != "io_uring" {
				return f.Unconcerned()
			}
			disabled := f.File("proc/sys/kernel/io_uring_disabled")
			return doctor.If(disabled != "0" && disabled != "", "io_method is io_uring, and kernel.io_uring_disabled is %s", disabled)
		},
	},
}

var stateChecks = []doctor.Check{
	{
		ID: "pg.data_checksums", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "the same on all servers that are compared",
		Why:    "PostgreSQL 18 creates clusters with checksums, so a comparison with 17 compares this, too.",
		Mend:   "pg_checksums --enable, while the server is down",
		Source: manual + "Data Checksums",
		Finds: func(f *doctor.Facts) string {
			version, on := f.Size("server_version_num"), f.Setting("data_checksums") == "on"
			return doctor.If(on != (version >= 180000), "data_checksums is %s, unlike the default of this version", f.Setting("data_checksums"))
		},
	},
}

// preloaded returns the libraries that the server loads at its start; "" if they are hidden.
func preloaded(f *doctor.Facts) string { return f.Setting("shared_preload_libraries") }
