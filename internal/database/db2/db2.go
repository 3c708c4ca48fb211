// Package db2 supports IBM's Db2 for Linux, UNIX and Windows, through IBM's own library.
package db2

import (
	"embed"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/schema"
)

//go:embed sql
var files embed.FS

//go:embed waits.txt
var waits string

//go:embed counters.txt
var counters string

// Database is Db2.
var Database = &database.Database{
	Name:  "db2",
	Title: "Db2",
	Tested: database.Tested{
		Unproven: unproven,
	},
	Options: database.Options{
		New:        newOptions,
		Schemes:    []string{"db2"},
		FromURL:    fromURL,
		Target:     target,
		SchemaName: schemaName,
	},
	Sessions: database.Sessions{
		Library:  libraryOf,
		Connect:  connect,
		Classify: Classify,
	},
	Runs: database.Runs{
		Processes:  []string{"db2sysc"},
		Waits:      database.MustParseWaits(waits),
		Counters:   database.MustParseCounters(counters),
		Durability: durability,
		Report:     report,
	},
	Schema:  newSchema,
	Server:  newServer,
	Dialect: dialect,
	SQL:     files,
}

// unproven is Tested.Unproven.
const unproven = "Sledge's tests have not run on Db2: IBM's library, sessions, types, errors, client SQL and the 22 queries of analytic workloads were tested on Apache Derby 10.7, which speaks Db2's protocol, and the " +
	"logic of its stored routines in MariaDB; Db2's own syntax for those routines, tablespaces, partitions, references, statistics, catalog and monitor functions, plans, ending the sessions of a killed build, flat files and cloud analytic queries has run on no server."

var dialect = database.Dialect{
	Placeholder: func(int) string { return "?" },
	Type:        columnType,
	QuotedFiles: true,

	// On some servers, a longer value would not fit into a response block.
	Bytes: "VARCHAR(16000) FOR BIT DATA", LongestBytes: 16_000,
	ReadPlan: readPlan,
}

func schemaName(options any) database.SchemaName {
	_, a := options.(settings).common()
	return database.SchemaName{Name: a.Database, Owner: a.User}
}

// durability is Runs.Durability. Db2 always writes the log to the disk before a commit returns.
func durability(map[string]string) (durable bool, why string) {
	return true, "each commit is forced to the log"
}

func columnType(c schema.Column) string {
	switch c.Type {
	case schema.SmallInteger:
		return "SMALLINT"
	case schema.BigInteger:
		return "BIGINT"
	case schema.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", c.Size, c.Scale)
	case schema.Char:
		return fmt.Sprintf("CHAR(%d)", c.Size)
	case schema.Varchar:
		return fmt.Sprintf("VARCHAR(%d)", c.Size)
	case schema.Date:
		return "DATE"
	case schema.Timestamp:
		return "TIMESTAMP"
	default:
		return "INTEGER"
	}
}
