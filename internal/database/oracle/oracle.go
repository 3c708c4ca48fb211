// Package oracle supports Oracle Database, through a driver in pure Go that needs no Oracle client.
// It knows workloads only through its SQL files.
package oracle

import (
	"embed"
	"fmt"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/schema"
)

//go:embed sql
var files embed.FS

//go:embed waits.txt
var waits string

//go:embed counters.txt
var counters string

// Database is Oracle.
var Database = &database.Database{
	Name:    "oracle",
	Title:   "Oracle",
	Aliases: []string{"ora"},
	Tested: database.Tested{
		Unproven: "Sledge's tests have not run on Oracle: the grammars of PMD and sqlfluff take its SQL, MariaDB in its Oracle mode has run the logic of the five routines, and sessions were tried on a stand-in that answers as the driver expects and runs no SQL.",
	},
	Options: database.Options{
		New:         newOptions,
		Schemes:     []string{"oracle"},
		FromURL:     fromURL,
		Client:      clientSettings,
		Target:      target,
		SchemaName:  schemaName,
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
		ReadsOnly: func(err error) bool { return number(err) == 16000 },
	},
	Runs: database.Runs{
		Waits:      database.MustParseWaits(waits),
		Counters:   database.MustParseCounters(counters),
		Durability: durability,
		Maintenance: &database.Maintenance{
			Do:       finish,
			Possible: mayFinish,
		},
	},
	Schema: newSchema,
	Server: newServer,
	Dialect: database.Dialect{
		Placeholder: func(n int) string { return ":p" + strconv.Itoa(n) },
		Type:        nativeType,
		Bytes:       "BLOB",
		QuotedFiles: true,
		ReadPlan:    readPlan,
	},
	SQL: files,
}

// nativeType returns the SQL type of a column. Oracle has one numeric type, and its DATE includes
// the time of day to the second.
func nativeType(c schema.Column) string {
	switch c.Type {
	case schema.SmallInteger:
		return "NUMBER(5,0)"
	case schema.BigInteger:
		return "NUMBER(19,0)"
	case schema.Decimal:
		return fmt.Sprintf("NUMBER(%d,%d)", c.Size, c.Scale)
	case schema.Char:
		return fmt.Sprintf("CHAR(%d)", c.Size)
	case schema.Varchar:
		return fmt.Sprintf("VARCHAR2(%d)", c.Size)
	case schema.Date, schema.Timestamp:
		return "DATE"
	default:
		return "NUMBER(10,0)"
	}
}

// schemaName is Options.SchemaName. A schema belongs to a user and has the user's name.
func schemaName(options any) database.SchemaName {
	user := options.(settings).own().User
	return database.SchemaName{Name: user, Owner: user}
}
