// Package mysql supports MySQL, and has the code that its variants share. It knows workloads only
// through its SQL files.
package mysql

import (
	"embed"
	"fmt"
	"slices"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlschema"
)

//go:embed sql
var files embed.FS

//go:embed instruments.txt
var instruments string

//go:embed states.txt
var states string

// Waits are the classes of the waits and states of sessions, for MySQL and its variants. Instruments are
// those of the wait instruments alone.
var (
	Waits       = slices.Concat(Instruments, database.MustParseWaits(states))
	Instruments = database.MustParseWaits(instruments)
)

//go:embed counters.txt
var counters string

// Counters describe the counters of MySQL and its variants.
var Counters = database.MustParseCounters(counters)

var product = Product{
	Title: "MySQL", Password: "mysql", HistoryKeySince: "8.0.30",
	ClientGroups: []string{"client", "mysql"}, HomeVariables: []string{"MYSQL_HOME"},
}

// Database is MySQL.
var Database = &database.Database{
	Name:  "mysql",
	Title: product.Title,
	Tested: database.Tested{
		Releases:  []string{"8.0"},
		Relatives: []database.Relative{{Product: "MariaDB"}},
	},
	Options: database.Options{
		New:         newOptions,
		Schemes:     []string{"mysql"},
		FromURL:     product.FromURL,
		Client:      product.ClientSettings,
		Target:      product.Target,
		SchemaName:  SchemaName,
		Servers:     Servers,
		SecretFiles: SecretFiles,
	},
	Container: database.Container{
		Create:  product.Create,
		Lacking: product.Lacking,
		Drop:    product.Drop,
	},
	Sessions: database.Sessions{
		Connect:   product.Connect,
		Classify:  Classify,
		ReadsOnly: ReadsOnly,
		Explain:   Explain,
	},
	Runs: database.Runs{
		Processes: []string{"mysqld"},
		Waits:     Waits,
		Counters:  Counters,

		EscapedTexts: true,
		Durability:   Durability,
		Checks:       Checks,
	},
	StandIn: NewStandIn(recording),
	Schema:  sqlschema.New,
	Server:  NewServer,
	Dialect: Dialect,
	SQL:     files,
}

// Dialect is the dialect of MySQL and its variants.
var Dialect = database.Dialect{
	Placeholder:   func(int) string { return "?" },
	Type:          nativeType,
	Bytes:         "LONGBLOB",
	KeyedTable:    " ENGINE = InnoDB", // the build log must be committed with its rows
	TellsCapitals: true,
	ReadPlan:      ReadPlan,
}

func nativeType(c schema.Column) string {
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
		return "DATETIME"
	default:
		return "INT"
	}
}
