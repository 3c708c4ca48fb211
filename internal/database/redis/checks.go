package redis

import (
	"context"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/doctor"
	"sledge/internal/job"
)

const manual = "redis.io, "

// checked asks for the settings that checks read, by name, because others are passwords.
var checked = []any{
	"CONFIG", "GET", "maxmemory", "maxmemory-policy", "appendonly", "appendfsync", "save", "tcp-backlog", "maxclients", "activedefrag",
	"slowlog-log-slower-than", "loglevel", "latency-monitor-threshold", "io-threads", "dir",
}

// readings is Server.Readings.
func readings(ctx context.Context, of database.Session) doctor.Readings {
	s := of.(*session)
	found := doctor.Readings{}
	section := func(name string, values map[string]string, err error) {
		found[name] = doctor.Section{Values: values, Err: err}
	}
	said, err := s.ask(ctx, checked...)
	settings := map[string]string{}
	if err == nil {
		settings = facts(said)
	}
	section("settings", settings, err)
	info, err := s.info(ctx, "default")
	section("info", info, err)
	place := map[string]string{"memory": info["used_memory"], "each": "0", "pid": info["process_id"]}
	if most := settings["maxclients"]; most != "" {
		place["connections"] = most
	}
	section("place", place, err)
	paths := map[string]string{}
	if folder := settings["dir"]; folder != "" {
		paths["data"], paths["log"] = folder, ""
	}
	section("paths", paths, found["settings"].Err)
	rights := map[string]string{}
	for name, command := range map[string][]any{"functions": {"FUNCTION", "STATS"}, "scripts": {"SCRIPT", "EXISTS", "0"}} {
		if _, err := s.ask(ctx, command...); err != nil {
			rights[name] = codeOf(err)
		}
	}
	section("rights", rights, nil)
	return found
}

// checks are Runs.Checks. They read the sections of readings.
var checks = []doctor.Check{
	{
		ID: "redis.maxmemory", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "maxmemory-policy noeviction, and data well below the memory",
		Why:    "A server that evicts keys loses rows of the schema.",
		Mend:   "CONFIG SET maxmemory-policy noeviction",
		Source: manual + "Key eviction",
		Finds: func(f *doctor.Facts) string {
			policy, most := f.Setting("maxmemory-policy"), f.Size("maxmemory")
			if throwsAway(policy, f.Setting("maxmemory")) {
				return "maxmemory-policy is " + policy + ", with " + doctor.Bytes(most)
			}
			if most == 0 && f.Has("proc/meminfo") {
				used, memory := f.Count("place", "memory"), f.Memory()
				return doctor.If(used > 0.7*memory, "maxmemory is 0, and the data take %s of %s", doctor.Bytes(used), doctor.Bytes(memory))
			}
			return ""
		},
	},
	{
		ID: "redis.durability", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "appendonly yes and appendfsync always, if commits must survive a power failure",
		Why:    "Commits since the last flush are lost with the power.",
		Mend:   "CONFIG SET appendonly yes; CONFIG SET appendfsync always",
		Source: manual + "Redis persistence",
		Finds: func(f *doctor.Facts) string {
			log, flush := f.Setting("appendonly"), f.Setting("appendfsync")
			if log != "yes" {
				return "appendonly is " + log
			}
			return doctor.If(flush != "always", "appendfsync is %s", flush)
		},
	},
	{
		ID: "redis.save", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "no snapshots during a run",
		Why:    "A snapshot forks the server, and the first change of each page then copies it.",
		Mend:   "CONFIG SET save ''",
		Source: manual + "Redis persistence",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("save") != "", "save is %q", f.Setting("save"))
		},
	},
	{
		ID: "mem.thp", On: doctor.ServerMachine, Severity: job.SeverityHigh,
		Wanted: "madvise or never",
		Why:    "After the fork for a snapshot, each changed byte copies 2 MiB.",
		Mend:   "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
		Source: manual + "Diagnosing latency issues; the server warns of it when it starts",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Chosen("sys/kernel/mm/transparent_hugepage/enabled") == "always", "transparent huge pages are always used")
		},
	},
	{
		ID: "mem.overcommit", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "1",
		Why:    "The fork for a snapshot fails if the kernel does not promise as much memory again.",
		Mend:   "sysctl vm.overcommit_memory=1",
		Source: manual + "FAQ; the server warns of it when it starts",
		Finds: func(f *doctor.Facts) string {
			mode := f.File("proc/sys/vm/overcommit_memory")
			return doctor.If(mode != "1", "vm.overcommit_memory is %s", mode)
		},
	},
	{
		ID: "redis.backlog", On: doctor.ServerMachine, Severity: job.SeverityMedium,
		Wanted: "net.core.somaxconn of at least tcp-backlog",
		Why:    "The kernel shortens the queue of new connections, so clients wait seconds for another try.",
		Mend:   "sysctl net.core.somaxconn=4096",
		Source: "redis.conf, tcp-backlog; the server warns of it when it starts",
		Finds: func(f *doctor.Facts) string {
			backlog, most := f.Size("tcp-backlog"), f.Number("proc/sys/net/core/somaxconn")
			return doctor.If(most < backlog, "net.core.somaxconn is %.0f, and tcp-backlog %.0f", most, backlog)
		},
	},
	{
		ID: "redis.maxclients", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "32 more than the connections",
		Why:    "Users beyond the limit are refused.",
		Mend:   "CONFIG SET maxclients 10000",
		Source: manual + "Client handling",
		Finds: func(f *doctor.Facts) string {
			most := f.Size("maxclients")
			return doctor.If(most < float64(f.Load().Connections+32), "maxclients is %.0f for %d connections", most, f.Load().Connections)
		},
	},
	{
		ID: "redis.activedefrag", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "no",
		Why:    "It moves data during the run.",
		Mend:   "CONFIG SET activedefrag no",
		Source: "redis.conf, activedefrag",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Setting("activedefrag") == "yes", "activedefrag is yes")
		},
	},
	{
		ID: "redis.slowlog", On: doctor.Server, Severity: job.SeverityMedium,
		Wanted: "slowlog-log-slower-than of at least 1000 µs, and loglevel notice",
		Why:    "Writing each command to a log costs time in each transaction.",
		Mend:   "CONFIG SET slowlog-log-slower-than 10000; CONFIG SET loglevel notice",
		Source: manual + "SLOWLOG; redis.conf",
		Finds: func(f *doctor.Facts) string {
			limit, level := f.Size("slowlog-log-slower-than"), f.Setting("loglevel")
			if level == "debug" {
				return "loglevel is debug"
			}
			return doctor.If(limit >= 0 && limit < 1000, "slowlog-log-slower-than is %.0f µs", limit)
		},
	},
	{
		ID: "redis.latency_monitor", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "100 ms, to see what stopped the server",
		Why:    "Without it, the server does not record the causes of its pauses.",
		Mend:   "CONFIG SET latency-monitor-threshold 100",
		Source: manual + "Latency monitoring",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Size("latency-monitor-threshold") == 0, "latency-monitor-threshold is 0")
		},
	},
	{
		ID: "redis.io_threads", On: doctor.Server, Severity: job.SeverityNote,
		Wanted: "the same on all servers that are compared",
		Why:    "They read and write beside the thread that executes commands.",
		Mend:   "io-threads in redis.conf",
		Source: "redis.conf, io-threads",
		Finds: func(f *doctor.Facts) string {
			n, err := strconv.Atoi(f.Setting("io-threads"))
			return doctor.If(err == nil && n > 1, "io-threads is %d", n)
		},
	},
	{
		ID: "redis.rights", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "the rights for FUNCTION and SCRIPT",
		Why:    "The routines of the schema are functions or scripts.",
		Mend:   "ACL SETUSER NAME +function +script +fcall +evalsha",
		Source: manual + "ACL",
		Finds: func(f *doctor.Facts) string {
			if code, refused := f.Told("rights", "functions"); refused {
				return "the server refuses FUNCTION: " + code
			}
			code, refused := f.Told("rights", "scripts")
			return doctor.If(refused, "the server refuses SCRIPT: %s", code)
		},
	},
	{
		ID: "redis.cluster", On: doctor.Server, Severity: job.SeverityStop,
		Wanted: "a server that is not part of a cluster",
		Why:    "Transactions and scripts of the workloads use keys of several slots.",
		Mend:   "Connect to a server with cluster-enabled no",
		Source: manual + "Redis cluster specification",
		Finds: func(f *doctor.Facts) string {
			return doctor.If(f.Reading("info", "cluster_enabled") == "1", "the server is part of a cluster")
		},
	},
}
