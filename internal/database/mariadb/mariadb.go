// Package mariadb supports MariaDB. It equals MySQL, including its SQL, except for the declarations
// here.
package mariadb

import (
	"embed"

	"sledge/internal/database"
	"sledge/internal/database/mysql"
	"sledge/internal/sqlschema"
)

//go:embed sql
var files embed.FS

//go:embed standin.txt
var recording string

var product = mysql.Product{
	Title:           "MariaDB",
	Password:        "maria",
	HistoryKeySince: "10.3.3",

	ClientGroups:  []string{"client", "client-server", "client-mariadb", "mysql", "mariadb-client"},
	HomeVariables: []string{"MARIADB_HOME", "MYSQL_HOME"},
}

// Database is MariaDB.
var Database = &database.Database{
	Name:    "mariadb",
	Title:   product.Title,
	Aliases: []string{"maria"},
	Tested: database.Tested{
		Releases:  []string{"10.11"},
		Relatives: []database.Relative{{Product: "MySQL"}},
	},
	Options: database.Options{
		New:         newOptions,
		Schemes:     []string{"mariadb"},
		FromURL:     product.FromURL,
		Client:      product.ClientSettings,
		Target:      product.Target,
		SchemaName:  mysql.SchemaName,
		Servers:     mysql.Servers,
		SecretFiles: mysql.SecretFiles,
	},
	Container: database.Container{
		Create:  product.Create,
		Lacking: product.Lacking,
		Drop:    product.Drop,
	},
	Sessions: database.Sessions{
		Connect:   product.Connect,
		Classify:  mysql.Classify,
		ReadsOnly: mysql.ReadsOnly,
		Explain:   mysql.Explain,
	},
	Runs: database.Runs{
		Processes: []string{"mariadbd", "mysqld"},
		Waits:     mysql.Waits,
		Counters:  mysql.Counters,
		Checks:    mysql.Checks,

		EscapedTexts: true,
		Durability:   mysql.Durability,
		Maintenance: &database.Maintenance{
			Do:       finish,
			Possible: mayFinish,
		},
	},
	StandIn: mysql.NewStandIn(recording),
	Schema:  sqlschema.New,
	Server:  mysql.NewServer,
	Dialect: mysql.Dialect,
	SQL:     files,
	Base:    mysql.Database,
}

// Options are MySQL's options and MariaDB's own.
type Options struct {
	mysql.Options
	Purge bool `opt:"purge" group:"load" for:"run" needs:"driver=timed" help:"after a run, wait until the server has purged old row versions and written all changed pages back, so that the next run starts from the same state (MariaDB from 10.7 on)"`
}

func newOptions(use database.Use) any {
	if use.Analytic {
		o := product.NewAnalyticOptions(use)
		return &o
	}
	return &Options{Options: product.NewOptions(use)}
}
