package redis

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// newServer is Database.Server.
func newServer(*sqlfile.Library) database.Server {
	return database.Server{
		Version:  version,
		Settings: settings,
		Product:  product,
		Name: func(_ context.Context, of database.Session) (string, error) {
			return "client " + of.(*session).id, nil
		},
		Counter:    counter,
		Background: background,
		Activity:   []database.Activity{activity},
		Details:    &details,
		Counters:   counters, CounterRates: counterRates,
		Readings:   readings,
		Statements: &database.Statements{Counts: commandCounts},
	}
}

// background is Server.Background. The server's child process shares its memory, so that the first
// change of each page copies it (redis.io, "Redis persistence").
func background(ctx context.Context, of database.Session) ([]database.BackgroundWork, error) {
	found, err := of.(*session).info(ctx, "persistence")
	var list []database.BackgroundWork
	if found["rdb_bgsave_in_progress"] == "1" {
		list = append(list, database.BackgroundWork{ID: "snapshot", Began: "The server saves a snapshot", Ended: "The snapshot is saved", Name: "snapshot"})
	}
	if found["aof_rewrite_in_progress"] == "1" {
		list = append(list, database.BackgroundWork{ID: "log", Began: "The server rewrites its append-only file", Ended: "The append-only file is rewritten", Name: "rewrite of the append-only file"})
	}
	return list, err
}

// info returns the lines of a section of INFO, by name.
func (s *session) info(ctx context.Context, section string) (map[string]string, error) {
	said, err := s.ask(ctx, "INFO", section)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for line := range strings.Lines(text(said)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			found[name] = value
		}
	}
	return found, nil
}

func version(ctx context.Context, of database.Session) (string, error) {
	of.(*session).layouts = nil // a job calls this first, and another job may have created tables since
	found, err := of.(*session).info(ctx, "server")
	if v := found["valkey_version"]; v != "" {
		return v, err
	}
	return found["redis_version"], err
}

// product distinguishes Redis from the products that are derived from it.
func product(ctx context.Context, of database.Session) (string, error) {
	found, err := of.(*session).info(ctx, "server")
	if found["valkey_version"] != "" || found["server_name"] == "valkey" {
		return "Valkey", err
	}
	return title, err
}

// asked are the settings on which performance and durability depend.
var asked = []string{
	"appendonly", "appendfsync", "save", "maxmemory", "maxmemory-policy", "io-threads", "io-threads-do-reads",
	"hz", "lazyfree-lazy-user-del", "hash-max-listpack-entries", "hash-max-listpack-value", "activedefrag",
	"min-replicas-to-write", "no-appendfsync-on-rewrite",
}

// settings reads the settings. If the user may not read them, it returns only appendonly=no, if
// INFO shows that, or nothing.
func settings(ctx context.Context, of database.Session) (map[string]string, error) {
	s := of.(*session)
	found := map[string]string{}
	for _, name := range asked {
		said, err := s.ask(ctx, "CONFIG", "GET", name)
		if err != nil {
			if codeOf(err) == "" {
				return nil, err
			}
			persistence, err := s.info(ctx, "persistence")
			if persistence["aof_enabled"] == "0" {
				return map[string]string{"appendonly": "no"}, err
			}
			return map[string]string{}, err
		}
		for name, value := range facts(said) {
			found[name] = value
		}
	}
	return found, nil
}

// durability is Runs.Durability. Commits survive a power failure only if each is in the log and
// on the disk before the server responds (redis.io, "Redis persistence").
func durability(settings map[string]string) (durable bool, why string) {
	policy, bound := settings["maxmemory-policy"], settings["maxmemory"]
	switch log, flushed := settings["appendonly"], settings["appendfsync"]; {
	case throwsAway(policy, bound):
		return false, fmt.Sprintf("maxmemory-policy is %s, so the server may evict rows even without a power failure", policy)
	case log == "":
		return false, "the server does not show appendonly and appendfsync"
	case log != "yes":
		return false, "appendonly is " + log
	case flushed != "always":
		return false, "appendfsync is " + flushed
	case settings["no-appendfsync-on-rewrite"] == "yes":
		return false, "no-appendfsync-on-rewrite is yes"
	}
	return true, "appendonly is yes, and appendfsync is always"
}

// throwsAway reports whether a server with these settings evicts keys when its memory is full. The
// keys of a schema never expire, so only the policies for all keys evict them (redis.io, "Key
// eviction").
func throwsAway(policy, maxmemory string) bool {
	return strings.HasPrefix(policy, "allkeys") && maxmemory != "0"
}

// committed is the last command in the MULTI of every transaction. The server executes it only if
// EXEC executes the others, and other clients hardly use it. So the server's statistics of this
// command count committed transactions, without those that ended in a conflict.
const committed = "ECHO"

// ending lists the commands that end a transaction: a call of a function or of a script that may
// write, committed, and the UNWATCH or DISCARD of a rollback.
var ending = []string{"fcall", "evalsha", "echo", "unwatch", "discard"}

// counter is Server.Counter. It returns how often these commands ran, for all clients, since the
// server started or its statistics were reset.
func counter(ctx context.Context, of database.Session) (int64, error) {
	found, err := of.(*session).info(ctx, "commandstats")
	if err != nil {
		return 0, err
	}
	var n int64
	for _, name := range ending {
		line, there := found["cmdstat_"+name]
		if !there {
			continue
		}
		calls, failed, err := callsOf(line)
		if err != nil {
			return 0, fmt.Errorf("INFO says of %s %q: %w", name, line, err)
		}
		n += calls - failed
	}
	return n, nil
}

// callsOf parses "calls=7,usec=120,usec_per_call=17.14,rejected_calls=0,failed_calls=1".
func callsOf(line string) (calls, failed int64, err error) {
	for pair := range strings.SplitSeq(line, ",") {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "calls":
			calls, err = strconv.ParseInt(value, 10, 64)
		case "failed_calls":
			failed, err = strconv.ParseInt(value, 10, 64)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return calls, failed, nil
}
