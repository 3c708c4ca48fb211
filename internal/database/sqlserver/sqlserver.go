// Package sqlserver supports SQL Server and Azure SQL, through the low level of Microsoft's own
// driver for Go. Its T-SQL also runs on Babelfish. It knows workloads only through its SQL files.
package sqlserver

import (
	"embed"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlschema"
)

//go:embed sql
var files embed.FS

//go:embed waits.txt
var waits string

//go:embed counters.txt
var counters string

// Database is SQL Server.
var Database = &database.Database{
	Name:    "sqlserver",
	Title:   "SQL Server",
	Aliases: []string{"mssqls", "mssqlserver"},
	Tested: database.Tested{
		Relatives: []database.Relative{{Product: babelfish, Limits: limits, Details: details}},
		Unproven: "Sledge's tests have not run on SQL Server or Azure SQL: Microsoft's parser takes the T-SQL, Babelfish has run it, and sessions were " +
			"tried on a stand-in that speaks the protocol and runs no SQL.",
	},
	Options: database.Options{
		New:     newOptions,
		Schemes: []string{"sqlserver", "mssql"},
		FromURL: fromURL,
		Implied: implied,
		Target:  func(options any) string { return options.(settings).common().String() },
		SchemaName: func(options any) database.SchemaName {
			return database.SchemaName{Name: options.(settings).common().Database}
		},
		SecretFiles: secretFiles,
	},
	Container: database.Container{
		Create:  create,
		Lacking: lacking,
		Drop:    drop,
	},
	Sessions: database.Sessions{
		Connect:   connect,
		Classify:  classify,
		ReadsOnly: func(err error) bool { return number(err) == 3906 },
	},
	Runs: database.Runs{
		Processes:  []string{"sqlservr"},
		Waits:      database.MustParseWaits(waits),
		Counters:   database.MustParseCounters(counters),
		Durability: durability,
		Maintenance: &database.Maintenance{
			Do: finish,
		},
	},
	Schema: sqlschema.New,
	Server: newServer,
	Dialect: database.Dialect{
		Placeholder:   func(n int) string { return fmt.Sprintf("@p%d", n) },
		Type:          columnType,
		Bytes:         "varbinary(max)",
		TellsCapitals: true, // if the database's collation is case-sensitive
		ReadPlan:      readPlan,
	},
	SQL: files,
}

// limits and details describe Babelfish.
const (
	limits  = "Client SQL is not safe on Babelfish, which ignores UPDLOCK: sledge options sqlserver lists what else does not work there."
	details = "Babelfish 4.3 on PostgreSQL 16 ran the self-test by hand: 51 of 57 steps passed, 1 had nothing to test, and 5 failed for the following reasons. " +
		"Client SQL is not safe there, because Babelfish ignores UPDLOCK: two sessions read a row before either changes it. New orders then fail by a duplicate key " +
		"and deliveries by a missing row, 2 to 9 % of all transactions with 3 or 4 virtual users at one warehouse, which makes a run invalid; a change to a customer " +
		"or to the stock may be lost unnoticed. Use stored procedures. Cancelling a statement, as a query limit does, ends its session. TPM is the " +
		"virtual users' own count, and results do not list other causes that slowed the server. Bulk copy goes through a temporary table, and bulk_folder has no effect. Babelfish refuses columnstore, partition_by_date, " +
		"advanced_statistics and in_memory."
)

// columnType returns the SQL type of a column, for tables that no schema.sql declares. Its text
// types hold any character. The workloads' tables hold only ASCII, and their schema.sql declares
// varchar.
func columnType(c schema.Column) string {
	switch c.Type {
	case schema.SmallInteger:
		return "smallint"
	case schema.BigInteger:
		return "bigint"
	case schema.Decimal:
		return fmt.Sprintf("decimal(%d,%d)", c.Size, c.Scale)
	case schema.Char:
		return fmt.Sprintf("nchar(%d)", c.Size)
	case schema.Varchar:
		return fmt.Sprintf("nvarchar(%d)", c.Size)
	case schema.Date:
		return "date"
	case schema.Timestamp:
		return "datetime2(6)"
	default:
		return "int"
	}
}
