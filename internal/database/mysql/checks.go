package mysql

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sledge/internal/doctor"
	"sledge/internal/job"
)

const (
	manual = "MySQL manual, "
	guide  = "HammerDB's guide to MySQL"
	tuner  = "MySQLTuner"
	common = "Common practice"
)

// Checks are Runs.Checks, for MySQL and MariaDB. They read the sections of doctor.sql.
var Checks = slices.Concat(memoryChecks, logChecks, diskChecks, sessionChecks, costChecks)

var memoryChecks = []doctor.Check{
	{
		ID: "my.buffer_pool", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "70 to 80 % of the memory of a server of its own, or more than the schema",
		Why:    "Pages that are not in the buffer pool are read again and again.",
		Mend:   "SET GLOBAL innodb_buffer_pool_size = 8589934592, and the same in my.cnf",
		Source: manual + "innodb_buffer_pool_size; " + guide + "; " + tuner,
		Finds: func(f *doctor.Facts) string {
			const chunk = 128 * doctor.MiB // the server rounds to multiples of it
			pool, memory := f.Size("innodb_buffer_pool_size"), f.MemoryIf()
			text := "innodb_buffer_pool_size is " + doctor.Bytes(pool)
			if memory > 0 {
				f.Mend = fmt.Sprintf("SET GLOBAL innodb_buffer_pool_size = %.0f, and the same in my.cnf", max(1, math.Floor(memory*0.6/chunk))*chunk)
				text += " of " + doctor.Bytes(memory)
			}
			if memory > 0 && pool > 0.85*memory {
				return text
			}
			if size, has := f.Told("schema", "size"); has && f.Count("schema", "tables") > 0 && doctor.Number(size) < 0.8*pool {
				return ""
			}
			return doctor.If(pool <= 128*doctor.MiB || memory > 0 && !f.Local() && pool < 0.5*memory, "%s", text)
		},
	},
	{
		ID: "my.numa", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "ON, with several NUMA nodes",
		Why:    "The buffer pool fills the memory of one node, whose cores then have none.",
		Mend:   "innodb_numa_interleave = ON in my.cnf, and restart the server",
		Source: manual + "innodb_numa_interleave",
		Finds: func(f *doctor.Facts) string {
			if f.SettingIf("innodb_numa_interleave") == "" {
				f.Setting("version")
				return f.Unconcerned()
			}
			nodes := f.Files("sys/devices/system/node/online")
			return doctor.If(f.Setting("innodb_numa_interleave") == "OFF" && len(nodes) == 1 && nodes[0] != "0", "innodb_numa_interleave is OFF with the nodes %s", strings.Join(nodes, ""))
		},
	},
	{
		ID: "my.query_cache", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "OFF",
		Why:    "One lock protects the whole cache, and each write empties parts of it.",
		Mend:   "SET GLOBAL query_cache_size = 0; query_cache_type = OFF in my.cnf",
		Source: "MariaDB documentation, Query Cache; " + tuner,
		Finds: func(f *doctor.Facts) string {
			f.Setting("version")
			kind, size := f.SettingIf("query_cache_type"), f.SettingIf("query_cache_size")
			return doctor.If(kind != "" && kind != "OFF" && size != "0", "query_cache_type is %s, with %s", kind, doctor.Bytes(doctor.Number(size)))
		},
	},
	{
		ID: "limit.memlock", On: doctor.ServerMachine, Severity: job.SeverityHigh,
		Wanted: "at least the buffer pool",
		Why:    "The server cannot lock huge pages, and takes pages of 4 KiB.",
		Mend:   "LimitMEMLOCK=infinity in the service of the server",
		Source: manual + "Enabling Large Page Support",
		Finds: func(f *doctor.Facts) string {
			if f.Setting("large_pages") != "ON" {
				return f.Unconcerned()
			}
			text := f.File("proc/" + pid(f) + "/limits")
			for line := range strings.Lines(text) {
				if fields := strings.Fields(strings.TrimPrefix(line, "Max locked memory")); strings.HasPrefix(line, "Max locked memory") && len(fields) > 0 && fields[0] != "unlimited" {
					return doctor.If(doctor.Number(fields[0]) < f.Size("innodb_buffer_pool_size"), "the server may lock %s", doctor.Bytes(doctor.Number(fields[0])))
				}
			}
			return ""
		},
	},
}

var logChecks = []doctor.Check{
	{
		ID: "my.redo", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "the redo log of 15 to 60 min of work: 4 GB and more",
		Why:    "When the redo log is full, changed pages are flushed at once, and everything else waits.",
		Mend:   "SET GLOBAL innodb_redo_log_capacity = 8589934592; in older servers innodb_log_file_size in my.cnf",
		Source: manual + "innodb_redo_log_capacity; HammerDB's guide: ceil(cores/2) GB, 4 to 64; " + tuner,
		Finds: func(f *doctor.Facts) string {
			name, size := "innodb_redo_log_capacity", doctor.Number(f.SettingIf("innodb_redo_log_capacity"))
			if size == 0 {
				name, size = "innodb_log_file_size", f.Size("innodb_log_file_size")
				if files := f.SettingIf("innodb_log_files_in_group"); files != "" {
					size *= max(1, doctor.Number(files))
				}
				f.Mend = "innodb_log_file_size = 8G in my.cnf, and restart the server"
			} else {
				f.Mend = "SET GLOBAL innodb_redo_log_capacity = 8589934592, and the same in my.cnf"
			}
			if strings.Contains(f.Setting("version"), "MariaDB") {
				f.Mend = "innodb_log_file_size = 8G in my.cnf; from MariaDB 10.9 on SET GLOBAL innodb_log_file_size = 8589934592"
			}
			return doctor.If(size <= 128*doctor.MiB, "the redo log has %s (%s)", doctor.Bytes(size), name)
		},
	},
	{
		ID: "my.flush_log", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "1",
		Why:    "A crash loses the commits of about a second.",
		Mend:   "SET GLOBAL innodb_flush_log_at_trx_commit = 1",
		Source: manual + "innodb_flush_log_at_trx_commit; " + guide,
		Finds: func(f *doctor.Facts) string {
			value := f.Setting("innodb_flush_log_at_trx_commit")
			return doctor.If(value != "1", "innodb_flush_log_at_trx_commit is %s", value)
		},
	},
	{
		ID: "my.sync_binlog", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "1, with the binary log on",
		Why:    "A crash may lose transactions in the binary log that InnoDB has committed.",
		Mend:   "SET GLOBAL sync_binlog = 1",
		Source: manual + "sync_binlog",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("log_bin") == "ON" && f.Setting("sync_binlog") != "1", "the binary log is on, and sync_binlog is %s", f.Setting("sync_binlog"))
		},
	},
	{
		ID: "my.binlog", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "the same on all servers that are compared",
		Why:    "Each commit also flushes the binary log.",
		Mend:   "skip_log_bin in my.cnf, if nothing replicates",
		Source: guide + ": skip-log-bin; " + manual + "The Binary Log",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("log_bin") == "ON" && f.Setting("sync_binlog") == "1", "the binary log is on, with sync_binlog 1")
		},
	},
	{
		ID: "my.doublewrite", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "ON",
		Why:    "A page that a power failure tears cannot be repaired.",
		Mend:   "innodb_doublewrite = ON in my.cnf, and restart the server",
		Source: manual + "innodb_doublewrite",
		Finds: func(f *doctor.Facts) string {
			value := f.Setting("innodb_doublewrite")
			return doctor.If(value == "OFF" || value == "DETECT_ONLY" || value == "0", "innodb_doublewrite is %s", value)
		},
	},
	{
		ID: "my.purge", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "fewer than 100,000 transactions in the history",
		Why:    "Old row versions of earlier work are removed during the run, and slow it.",
		Mend:   "Wait until it is short, or end old transactions (SHOW ENGINE INNODB STATUS); raise innodb_purge_threads",
		Source: manual + "Purge Configuration; " + guide,
		Finds: func(f *doctor.Facts) string {
			length, has := f.Told("status", "innodb_history_list_length")
			if !has {
				length = f.Reading("history", "length")
			}
			return doctor.If(doctor.Number(length) > 100_000, "the history has %s transactions", length)
		},
	},
	{
		ID: "my.dirty", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "at most half of the buffer pool",
		Why:    "Pages that earlier work changed are written during the run.",
		Mend:   "SET GLOBAL innodb_max_dirty_pages_pct = 0, wait, and set it to its old value",
		Source: manual + "Configuring Buffer Pool Flushing",
		Finds: func(f *doctor.Facts) string {
			dirty, all := f.Count("status", "innodb_buffer_pool_pages_dirty"), f.Count("status", "innodb_buffer_pool_pages_total")
			return doctor.If(dirty > 0.5*all, "%.0f of %.0f pages are not written back", dirty, all)
		},
	},
}

var diskChecks = []doctor.Check{
	{
		ID: "my.flush_method", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "O_DIRECT",
		Why:    "Pages are twice in memory: in the buffer pool and in the file cache.",
		Mend:   "innodb_flush_method = O_DIRECT in my.cnf, and restart the server",
		Source: manual + "innodb_flush_method: the default since 8.4; MariaDB 10.6",
		Finds: func(f *doctor.Facts) string {
			value := f.Setting("innodb_flush_method")
			return doctor.If(!strings.HasPrefix(strings.ToUpper(value), "O_DIRECT"), "innodb_flush_method is %s", value)
		},
	},
	{
		ID: "my.io_capacity", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "2000 and more on SSDs, with innodb_io_capacity_max of twice as much",
		Why:    "InnoDB writes no more pages a second in the background, until the redo log is full.",
		Mend:   "SET GLOBAL innodb_io_capacity_max = 4000; SET GLOBAL innodb_io_capacity = 2000",
		Source: guide + ": 4000 and 20000; " + manual + "Configuring InnoDB I/O Capacity",
		Finds: func(f *doctor.Facts) string {
			if f.Load().Analytic {
				return f.Unconcerned()
			}
			return doctor.If(f.Size("innodb_io_capacity") <= 200, "innodb_io_capacity is %s", f.Setting("innodb_io_capacity"))
		},
	},
	{
		ID: "my.flush_neighbors", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "0 on SSDs",
		Why:    "Writing neighbours saves movements of heads, which an SSD does not have.",
		Mend:   "SET GLOBAL innodb_flush_neighbors = 0",
		Source: manual + "innodb_flush_neighbors",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("innodb_flush_neighbors") != "0", "innodb_flush_neighbors is %s", f.Setting("innodb_flush_neighbors"))
		},
	},
	{
		ID: "my.io_threads", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "16, with more than 16 cores",
		Why:    "Few threads do not keep fast disks busy.",
		Mend:   "innodb_read_io_threads = 16 and innodb_write_io_threads = 16 in my.cnf",
		Source: guide,
		Finds: func(f *doctor.Facts) string {
			threads := f.Size("innodb_write_io_threads")
			m := f.Machine()
			if m == nil {
				f.File("proc/meminfo")
				return ""
			}
			return doctor.If(m.Cores > 16 && threads <= 4, "innodb_write_io_threads is %.0f on %d cores", threads, m.Cores)
		},
	},
	{
		ID: "limit.aio", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "at least 65,536 unused",
		Why:    "A server that gets no asynchronous requests waits for each read and write.",
		Mend:   "sysctl fs.aio-max-nr=1048576",
		Source: guide + "; Red Hat's tuned profile oracle",
		Finds: func(f *doctor.Facts) string {
			if f.SettingIf("innodb_use_native_aio") != "ON" {
				f.Setting("version")
				return f.Unconcerned()
			}
			most, used := f.Number("proc/sys/fs/aio-max-nr"), f.Number("proc/sys/fs/aio-nr")
			return doctor.If(most-used < 32_768, "%.0f of %.0f asynchronous requests are taken", used, most)
		},
	},
}

var sessionChecks = []doctor.Check{
	{
		ID: "my.max_connections", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "10 more than the users",
		Why:    "Users beyond the limit are refused.",
		Mend:   "SET GLOBAL max_connections = 4000",
		Source: guide + ": 4000, with back_log 1500",
		Finds: func(f *doctor.Facts) string {
			most, users := f.Size("max_connections"), float64(f.Load().Connections)
			return doctor.If(most < users+10, "max_connections is %.0f for %.0f users", most, users)
		},
	},
	{
		ID: "my.threads", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "one-thread-per-connection, unless the pool is what is measured",
		Why:    "A pool of threads lets transactions wait for each other's threads.",
		Mend:   "thread_handling = one-thread-per-connection in my.cnf",
		Source: "MariaDB documentation, Thread Pool",
		Finds: func(f *doctor.Facts) string {
			value := f.Setting("thread_handling")
			return doctor.If(value == "pool-of-threads", "thread_handling is %s", value)
		},
	},
	{
		ID: "my.table_open_cache", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "no tables opened all the time: table_open_cache 8000",
		Why:    "Each user opens each table, and a full cache closes one for it.",
		Mend:   "SET GLOBAL table_open_cache = 8000",
		Source: guide + ": 8000, with 16 instances",
		Finds: func(f *doctor.Facts) string {
			opened, up := f.Count("status", "opened_tables"), f.Count("status", "uptime")
			return doctor.If(up > 60 && opened/up > 10, "%.0f tables a second were opened", opened/max(up, 1))
		},
	},
	{
		ID: "my.prepared", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "40 for each user",
		Why:    "Users whose statements are beyond the limit fail.",
		Mend:   "SET GLOBAL max_prepared_stmt_count = 128000",
		Source: guide + ": 128000",
		Finds: func(f *doctor.Facts) string {
			const each = 40 // statements of a user that sends its SQL from the client
			most, users := f.Size("max_prepared_stmt_count"), float64(f.Load().Connections)
			return doctor.If(most < each*users, "max_prepared_stmt_count is %.0f for %.0f users", most, users)
		},
	},
	{
		ID: "my.isolation", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "the same on all servers that are compared",
		Why:    "At REPEATABLE READ of MariaDB with innodb_snapshot_isolation, updates of rows that changed meanwhile fail and are retried.",
		Mend:   "SET GLOBAL innodb_snapshot_isolation = OFF, or transaction_isolation = READ-COMMITTED",
		Source: "MariaDB documentation, innodb_snapshot_isolation (default ON from 11.6.2 on)",
		Finds: func(f *doctor.Facts) string {
			f.Setting("version")
			switch isolation := f.SettingIf("transaction_isolation") + f.SettingIf("tx_isolation"); {
			case strings.Contains(isolation, "SERIALIZABLE"):
				return "the isolation level is SERIALIZABLE"
			case f.SettingIf("innodb_snapshot_isolation") == "ON" && strings.Contains(isolation, "REPEATABLE"):
				return "innodb_snapshot_isolation is ON"
			}
			return ""
		},
	},
	{
		ID: "my.timeouts", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "wait_timeout of at least 10 min, max_statement_time 0, innodb_lock_wait_timeout of at least 50 s",
		Why:    "The server ends sessions and statements of users that think or wait.",
		Mend:   "SET GLOBAL wait_timeout = 28800; SET GLOBAL innodb_lock_wait_timeout = 50",
		Source: manual + "Server System Variables",
		Finds: func(f *doctor.Facts) string {
			var found []string
			if wait := f.Size("wait_timeout"); wait < 600 {
				found = append(found, fmt.Sprintf("wait_timeout is %.0f s", wait))
			}
			for _, name := range []string{"max_statement_time", "max_execution_time"} {
				if limit := doctor.Number(f.SettingIf(name)); limit > 0 {
					found = append(found, fmt.Sprintf("%s is %g", name, limit))
				}
			}
			if wait := f.Size("innodb_lock_wait_timeout"); wait < 50 {
				found = append(found, fmt.Sprintf("innodb_lock_wait_timeout is %.0f s", wait))
			}
			return strings.Join(found, ", ")
		},
	},
}

var costChecks = []doctor.Check{
	{
		ID: "my.monitor", On: doctor.Server, Severity: job.SeverityHigh,
		Wanted: "no general log, and no slow log of all statements",
		Why:    "Writing each statement to a log costs time in each transaction.",
		Mend:   "SET GLOBAL general_log = OFF; SET GLOBAL long_query_time = 10",
		Source: common,
		Finds: func(f *doctor.Facts) string {
			var found []string
			if f.Setting("general_log") == "ON" {
				found = append(found, "general_log is ON")
			}
			if f.Setting("slow_query_log") == "ON" && f.Size("long_query_time") < 0.1 {
				found = append(found, "slow_query_log is ON with long_query_time "+f.Setting("long_query_time"))
			}
			if f.SettingIf("server_audit_logging") == "ON" {
				found = append(found, "server_audit_logging is ON")
			}
			return strings.Join(found, ", ")
		},
	},
	{
		ID: "my.performance_schema", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "the same on all servers that are compared",
		Why:    "It costs some percent, and shows the waits of sessions.",
		Mend:   "performance_schema = OFF in my.cnf for the maximum, ON to see waits",
		Source: guide + ": OFF",
		Finds: func(f *doctor.Facts) string {
			// The default of MySQL is ON, and that of MariaDB OFF.
			value, maria := f.Setting("performance_schema"), strings.Contains(f.Setting("version"), "MariaDB")
			return doctor.If((value == "ON") == maria, "performance_schema is %s, unlike the default", value)
		},
	},
	{
		ID: "my.spin", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "the defaults, or the same on all servers that are compared",
		Why:    "It decides how long threads try again before they sleep.",
		Mend:   "SET GLOBAL innodb_spin_wait_delay = DEFAULT; SET GLOBAL innodb_sync_spin_loops = 30",
		Source: guide + ": 6 on many cores",
		Finds: func(f *doctor.Facts) string {
			delay, loops := f.Setting("innodb_spin_wait_delay"), f.Setting("innodb_sync_spin_loops")
			return doctor.If(loops != "30" || delay != "6" && delay != "4", "innodb_spin_wait_delay is %s, and innodb_sync_spin_loops %s", delay, loops)
		},
	},
	{
		ID: "my.ahi", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "OFF",
		Why:    "Its latches limit servers with many cores.",
		Mend:   "SET GLOBAL innodb_adaptive_hash_index = OFF",
		Source: guide + "; " + manual + "innodb_adaptive_hash_index: OFF since 8.4",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("innodb_adaptive_hash_index") == "ON", "innodb_adaptive_hash_index is ON")
		},
	},
	{
		ID: "my.debug", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "a release build",
		Why:    "A build for developers checks itself, and is several times slower.",
		Mend:   "Install a packaged server",
		Source: manual + "Configuring MySQL Using Additional Tools: debugging",
		Finds: func(f *doctor.Facts) string {
			version := f.Setting("version")
			for _, word := range []string{"debug", "asan", "valgrind"} {
				if strings.Contains(strings.ToLower(version), word) {
					return "the server's version is " + version
				}
			}
			return ""
		},
	},
	{
		ID: "my.events", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "no other work of the server",
		Why:    "Events and replication work beside the run.",
		Mend:   "SET GLOBAL event_scheduler = OFF; STOP REPLICA",
		Source: common,
		Finds: func(f *doctor.Facts) string {
			replicas, _ := f.Told("status", "slaves_running")
			running, _ := f.Told("status", "slave_running")
			switch maria := strings.Contains(f.Setting("version"), "MariaDB"); {
			case f.Setting("event_scheduler") == "ON" && maria: // MySQL 8 has it on by default
				return "event_scheduler is ON"
			case running == "ON" || doctor.Number(replicas) > 0:
				return "the server replicates from another one"
			}
			return ""
		},
	},
}

// pid returns the server's process.
func pid(f *doctor.Facts) string {
	return f.File(strings.TrimPrefix(f.Reading("place", "pid_file"), "/"))
}
