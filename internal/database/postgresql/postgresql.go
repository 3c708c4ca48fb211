// Package postgresql is PostgreSQL, through the low level of pgx, its native driver. It knows
// workloads only through its SQL files.
package postgresql

import (
	"embed"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/schema"
)

//go:embed sql
var files embed.FS

// Database is PostgreSQL.
var Database = &database.Database{
	Name:           "postgresql",
	Title:          "PostgreSQL",
	Aliases:        []string{"pg", "postgres"},
	Tested:         []string{"15", "17", "18"},
	Options:        newOptions,
	Schemes:        []string{"postgres", "postgresql"},
	FromURL:        fromURL,
	SecretFiles:    secretFiles,
	ClientSettings: clientSettings,
	Servers:        servers,
	Processes:      []string{"postgres"},
	Target:         func(options any) string { return options.(target).owner().String() },
	Create:         create,
	Drop:           drop,
	Connect:        connect,
	Finish:         finish,
	MayFinish:      mayFinish,
	ReadsOnly:      func(err error) bool { return stateOf(err) == "25006" },
	CallersRights:  true,
	Durability:     durability,
	Lacking:        lacking,
	SchemaName: func(options any) database.SchemaName {
		own := options.(target).own()
		return database.SchemaName{Name: own.Database, Owner: own.User}
	},
	Routines: func(options any) string {
		if o, ok := options.(*transactional); ok && !o.Procedures {
			return "functions"
		}
		return "stored procedures"
	},
	Schema:   newSchema,
	Server:   newServer,
	ReadPlan: readPlan,
	Classify: classify,
	SQL:      files,
	Dialect: database.Dialect{
		Placeholder: func(n int) string { return fmt.Sprintf("$%d", n) },
		Type:        columnType,
		Bytes:       "bytea",
	},
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
