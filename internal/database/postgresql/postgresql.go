// Package postgresql supports PostgreSQL, through the low level of pgx, its native driver. It knows
// workloads only through its SQL files.
package postgresql

import (
	"embed"
	"fmt"
	"time"

	"sledge/internal/database"
	"sledge/internal/schema"
)

//go:embed sql
var files embed.FS

//go:embed waits.txt
var waits string

//go:embed counters.txt
var counters string

// Database is PostgreSQL.
var Database = &database.Database{
	Name:    "postgresql",
	Title:   "PostgreSQL",
	Aliases: []string{"pg", "postgres"},
	Tested: database.Tested{
		Releases: []string{"15", "17", "18"},
	},
	Options: database.Options{
		New:     newOptions,
		Schemes: []string{"postgres", "postgresql"},
		FromURL: fromURL,
		Client:  clientSettings,
		Target:  func(options any) string { return options.(target).owner().String() },
		SchemaName: func(options any) database.SchemaName {
			own := options.(target).own()
			return database.SchemaName{Name: own.Database, Owner: own.User}
		},
		Servers:     servers,
		SecretFiles: secretFiles,
	},
	Container: database.Container{
		Create:  create,
		Lacking: lacking,
		Restore: restore,
		Drop:    drop,
	},
	Sessions: database.Sessions{
		Connect:   connect,
		Classify:  classify,
		ReadsOnly: func(err error) bool { return stateOf(err) == "25006" },
		Explain:   explain,
	},
	Runs: database.Runs{
		Processes: []string{"postgres"},

		// A session reports its transactions at most once a second, so its last report is half a
		// second old on average. At the beginning of the measured time all sessions flush, and then
		// report at the same moment, just after the count was read: it is a second old, until their
		// reports drift apart within a minute or two. 0.75 s suits both (docs/decisions/098).
		CountDelay: 750 * time.Millisecond,

		Waits:      database.MustParseWaits(waits),
		Counters:   database.MustParseCounters(counters),
		Durability: durability,
		Checks:     checks,
		Maintenance: &database.Maintenance{
			Do:       finish,
			Possible: mayFinish,
		},
	},
	Schema:  newSchema,
	Server:  newServer,
	StandIn: standIn,
	Dialect: database.Dialect{
		Placeholder: func(n int) string { return fmt.Sprintf("$%d", n) },
		Type:        columnType,
		Bytes:       "bytea",
		ReadPlan:    readPlan,
		Routines: func(options any) string {
			if o, ok := options.(*transactional); ok && !o.Procedures {
				return "functions"
			}
			return "stored procedures"
		},
	},
	SQL: files,
}

func columnType(c schema.Column) string {
	switch c.Type {
	case schema.SmallInteger:
		return "smallint"
	case schema.BigInteger:
		return "bigint"
	case schema.Decimal:
		return fmt.Sprintf("numeric(%d,%d)", c.Size, c.Scale)
	case schema.Char:
		return fmt.Sprintf("char(%d)", c.Size)
	case schema.Varchar:
		return fmt.Sprintf("varchar(%d)", c.Size)
	case schema.Date:
		return "date"
	case schema.Timestamp:
		return "timestamptz"
	default:
		return "integer"
	}
}
