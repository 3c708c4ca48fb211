package database

import (
	"net/url"
	"path/filepath"
	"strings"

	"sledge/internal/option"
)

// Options describes the option struct of a database: how it is filled, and what it names. A
// parameter named options is the filled struct.
type Options struct {
	// New returns a fresh option struct for a use: the server, the accounts, and the options
	// that only this database has.
	New func(use Use) any

	// FromURL converts a URL with one of Schemes into option values.
	Schemes []string
	FromURL func(u *url.URL) (option.Values, error)

	// Client finds the settings of this database's own programs, such as PGHOST, ~/.pgpass
	// and ~/.my.cnf. The settings in given override them, and they override the defaults of use. It
	// warns about settings that it ignores, if the user should know. Optional.
	Client func(from Surroundings, use Use, given option.Values) (found []ClientSetting, warnings []string, err error)

	// Implied returns values of options that the user did not give and that the given options
	// imply, and an error if given options contradict each other. Defaults cannot do this, because
	// they do not show which options a user gave. Optional.
	Implied func(given option.Values, names option.Names) (option.Values, error)

	// Target names the database that the options select, for error messages and jobs: "tpcc on
	// 127.0.0.1:5432". It contains no password.
	Target func(options any) string

	// SchemaName returns the name of the schema that these options create.
	SchemaName func(options any) SchemaName

	// File returns the path of an embedded database's file. It is nil for a database with a server.
	File func(options any) string

	// Servers returns the options of each server that the options name, in the order in which
	// Connect tries them. Callers use it to find out which server a session uses. Optional: nil if
	// options name one server.
	Servers func(options any) []any

	// SecretFiles lists files that connections read and that hold only a secret: private keys,
	// tokens, wallets. A job warns if others can read them. Optional.
	SecretFiles func(options any) []string
}

// Use describes how a workload uses a database, because some options depend on it. A database knows
// no workload by name.
type Use struct {
	// Name is the default name of the account and the database of the schema: "tpcc".
	Name string

	// Analytic says that the workload has few queries that read much data, instead of many short
	// transactions.
	Analytic bool

	// OwnSQL says that the workload consists of SQL that the user has written.
	OwnSQL bool
}

// SchemaName is the name of a schema in a database.
type SchemaName struct {
	Name  string
	Owner string // the account that owns it; "" if schemas have no owner
}

// SchemaOfFile returns the name of the schema in a file: the file's, without its folder and its
// extension.
func SchemaOfFile(path string) SchemaName {
	base := filepath.Base(path)
	return SchemaName{Name: strings.TrimSuffix(base, filepath.Ext(base))}
}

// Surroundings are the places that are searched for client settings.
type Surroundings struct {
	Variable func(name string) string // a variable of the environment; "" if it is not set
	System   string                   // the machine's configuration folder: "/etc"; "" means none
}

// ClientSetting is the value of an option in the settings of the database's own programs.
type ClientSetting struct {
	Option string // its name
	Value  string
	Origin string // the source, for messages: "PGHOST", "line 3 of ~/.my.cnf"

	// Fallback marks a password that may belong to another account: it is tried only if the server
	// refuses the default.
	Fallback bool
}
