// Package redis supports Redis 7.0 and later: hashes, sorted sets and streams in place of tables,
// functions and scripts in place of stored procedures, and MULTI with WATCH in place of locks. It
// knows workloads only through its files.
//
// Its files contain three languages, which the session distinguishes by their first word: Redis'
// own commands, one to a line, in files that end in .redis; Lua, which the server runs, in .lua;
// and SQL over many rows, which the client executes itself (answers.go).
package redis

import (
	"embed"
	"fmt"

	"sledge/internal/database"
)

//go:embed sql
var files embed.FS

// Database is Redis.
var Database = &database.Database{
	Name:    "redis",
	Title:   title,
	Refuses: refuses,
	Tested: database.Tested{
		Releases: []string{"7.0"},
	},
	Options: database.Options{
		New:     newOptions,
		Schemes: []string{"redis", "rediss"},
		FromURL: fromURL,
		Client:  clientSettings,
		Target: func(options any) string {
			o := options.(*Options)
			return fmt.Sprintf("%s in database %d on %s", o.Prefix, o.Number, o.address())
		},
		SchemaName: func(options any) database.SchemaName {
			return database.SchemaName{Name: options.(*Options).Prefix}
		},
		SecretFiles: secretFiles,
	},
	Container: database.Container{
		Create: create,
		Drop:   dropRest,
	},
	Sessions: database.Sessions{
		Connect:  connect,
		Classify: classify,
	},
	Runs: database.Runs{
		Processes:  []string{"redis-server"},
		Durability: durability,
		Waits:      database.MustParseWaits(describedWaits),
		Counters:   database.MustParseCounters(describedCounters),
		Checks:     checks,
	},
	Schema: newSchema,
	Server: newServer,
	Dialect: database.Dialect{
		Placeholder:   func(n int) string { return fmt.Sprintf("ARGV[%d]", n) },
		TellsCapitals: true,
		Routines:      func(options any) string { return options.(*Options).Routines },
	},
	SQL: files,
}

const title = "Redis"

// refuses is Database.Refuses.
func refuses(use database.Use) string {
	if use.Analytic {
		return "Redis has no queries: the client would compute joins and sums, so a run would measure the client"
	}
	if use.OwnSQL {
		return "Redis has no SQL for transactions"
	}
	return ""
}
