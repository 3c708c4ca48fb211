// Package duckdb supports DuckDB, which is embedded in the program, for workloads of queries.
// DuckDB needs a C++ compiler, so only programs built with the tag duckdb contain it. The
// declarations in files without the tag describe it in every program.
package duckdb

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlschema"
)

//go:embed sql
var files embed.FS

// Database is DuckDB.
var Database = &database.Database{
	Name:    "duckdb",
	Title:   "DuckDB",
	Aliases: []string{"duck"},
	Absent:  absent,
	Refuses: refuses,
	Options: database.Options{
		New:        newOptions,
		Schemes:    []string{"duckdb"},
		FromURL:    fromURL,
		Target:     file,
		SchemaName: func(options any) database.SchemaName { return database.SchemaOfFile(file(options)) },
		File:       file,
	},
	Container: database.Container{
		Create: create,
		Claim:  claim,
		Drop:   drop,
	},
	Sessions: database.Sessions{
		Connect:  connect,
		Classify: classify,
	},
	Runs: database.Runs{
		Unsampled:  "DuckDB runs inside Sledge, so there is no server whose sessions could be sampled",
		Durability: durability,
	},
	Schema:  sqlschema.New,
	Server:  sqlschema.NewServer,
	Dialect: dialect,
	SQL:     files,
}

var dialect = database.Dialect{
	Placeholder: func(int) string { return "?" },
	Type:        columnType,
	Bytes:       "BLOB",
	QuotedFiles: true,
	Plain:       plain,
	ReadPlan:    readPlan,
}

// Options holds the file, and the part of the machine that DuckDB may use.
type Options struct {
	option.Naming
	File      string `opt:"file" dict:"connection" group:"connection" flag:"dbname" main:"true" help:"database file"`
	Threads   int    `opt:"threads" dict:"connection" group:"connection" min:"0" max:"1024" help:"number of DuckDB's threads, for all users together; 0 means one for each logical processor"`
	MemoryMiB int    `opt:"memory_mib" dict:"connection" group:"connection" unit:"MiB" min:"0" max:"16777216" help:"memory that DuckDB may use, in MiB, before it uses the disk; 0 means DuckDB's default, 80% of the machine's memory"`
}

func newOptions(database.Use) any { return &Options{File: "sledge.duckdb"} }

// refuses is Database.Refuses.
func refuses(use database.Use) string {
	if use.Analytic {
		return ""
	}
	return "if two transactions change the same row, one fails instead of waiting, so most short transactions would be retried: DuckDB is for workloads of queries"
}

// Validate implements option.Validator. The driver takes the file name and the settings in one
// string, in which these characters are separators.
func (o *Options) Validate(names option.Names) error {
	path, err := o.path()
	if err != nil {
		return names.Wrong("file", o.File, "%w", err)
	}
	if strings.ContainsAny(path, "?#%") {
		return names.Wrong("file", o.File, "DuckDB's driver cannot open %s, whose path has a ?, # or %%: name another file", path)
	}
	return nil
}

// path returns the canonical path of the file. Sessions with the same path share one DuckDB in this
// process.
func (o *Options) path() (string, error) {
	path, err := filepath.Abs(o.File)
	if err != nil {
		return "", err
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		path = file
	}
	return path, nil
}

// fromURL parses duckdb:relative.duckdb, duckdb:/absolute.duckdb and duckdb:///absolute.duckdb.
func fromURL(u *url.URL) (option.Values, error) {
	if u.Host != "" || u.RawQuery != "" {
		return nil, errors.New("the URL of a DuckDB file is duckdb:FILE, without host or parameters")
	}
	file := u.Opaque
	if file == "" {
		file = u.Path
	}
	if file == "" {
		return nil, errors.New("the URL names no file: write duckdb:FILE")
	}
	return option.Values{"file": file}, nil
}

// file is Options.File, and Options.Target.
func file(options any) string { return options.(*Options).File }

// wasCreated reports whether a build created the file.
func wasCreated(ctx context.Context, options any) (bool, error) {
	s, err := connect(ctx, options, database.Owner)
	if errors.Is(err, database.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	exists := "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'main' AND database_name = current_database() AND table_name = '" + sqlschema.CreationTable + "'"
	created, err := sqlschema.WasCreated(ctx, s, "", exists, filepath.Base(options.(*Options).File))
	return created, errors.Join(err, s.Close())
}

// drop is Container.Drop. It removes the file, and DuckDB's files beside it.
func drop(ctx context.Context, options any, d database.DropOptions) ([]database.DropResult, error) {
	o := options.(*Options)
	if _, err := os.Stat(o.File); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	fate := database.DropResult{Kind: "file", Name: o.File}
	created, err := wasCreated(ctx, options)
	switch {
	case err != nil:
		return nil, err
	case d.Leftover && (!created || len(d.Others) > 0):
		return nil, nil
	case len(d.Others) > 0:
		fate.Stays = database.AlsoHolds(d.Others)
	case !d.Drops(created):
		fate.Stays = database.NotCreated("rm " + o.File)
	}
	if fate.Stays != "" || d.Dry {
		return []database.DropResult{fate}, nil
	}
	for _, suffix := range []string{"", ".wal"} {
		if err := os.Remove(o.File + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return []database.DropResult{fate}, nil
}

// durability is Runs.Durability. DuckDB always writes to the disk before a commit returns.
func durability(map[string]string) (durable bool, why string) {
	return true, "each commit is forced to the write-ahead log"
}

func columnType(c schema.Column) string {
	switch c.Type {
	case schema.Char, schema.Varchar:
		return "VARCHAR"
	case schema.Date:
		return "DATE"
	case schema.Timestamp:
		return "TIMESTAMP"
	case schema.Decimal:
		return fmt.Sprintf("DECIMAL(%d, %d)", c.Size, c.Scale)
	case schema.SmallInteger:
		return "SMALLINT"
	case schema.BigInteger:
		return "BIGINT"
	default:
		return "INTEGER"
	}
}
