// Package sqlite supports SQLite, which is embedded in the program. It needs no server, so a first
// test runs on any machine.
package sqlite

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

	"modernc.org/sqlite"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlschema"
)

//go:embed sql
var files embed.FS

// Database is SQLite.
var Database = &database.Database{
	Name:    "sqlite",
	Title:   "SQLite",
	Aliases: []string{"sqlite3"},
	Options: database.Options{
		New:        newOptions,
		Schemes:    []string{"sqlite", "sqlite3"},
		FromURL:    fromURL,
		Target:     file,
		SchemaName: func(options any) database.SchemaName { return database.SchemaOfFile(file(options)) },
		File:       file,
	},
	Container: database.Container{
		Create:  create,
		Claim:   claim,
		Restore: restore,
		Drop:    drop,
	},
	Sessions: database.Sessions{
		Connect:  connect,
		Classify: classify,
		Explain:  explain,
	},
	Runs: database.Runs{
		Unsampled:  "SQLite runs inside Sledge, so there is no server whose sessions could be sampled",
		Durability: durability,
		Checks:     checks,
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
	KeyedTable:  " WITHOUT ROWID", // the rows are clustered by the key, warehouse by warehouse
	QuotedFiles: true,             // the shell's .import does not understand backslashes
	ReadPlan:    readPlan,
}

// Options names the file, and how to open it.
type Options struct {
	option.Naming
	File   string `opt:"file" dict:"connection" group:"connection" flag:"dbname" main:"true" help:"database file"`
	tuning `dict:"connection" group:"connection"`
}

// tuning holds options of durability, locks and memory.
type tuning struct {
	Synchronous       string `opt:"synchronous" choices:"off|normal|full|extra" help:"when commits are synced to disk: normal at checkpoints, full at each commit, off never"`
	BusyTimeoutMillis int    `opt:"busy_timeout" unit:"milliseconds" min:"0" max:"3600000" help:"milliseconds to wait for a lock before a statement fails with SQLITE_BUSY"`
	CacheMiB          int    `opt:"cache_mib" unit:"MiB" min:"1" max:"65536" help:"page cache of each session, in MiB"`
}

// analytic holds SQLite's options for workloads of queries, which have their own file by default.
type analytic struct {
	option.Naming
	File   string `opt:"file" group:"connection" flag:"dbname" main:"true" help:"database file"`
	tuning `dict:"connection" group:"connection"`
}

// of returns the options of either use.
func of(options any) *Options {
	if a, is := options.(*analytic); is {
		return &Options{Naming: a.Naming, File: a.File, tuning: a.tuning}
	}
	return options.(*Options)
}

func newOptions(use database.Use) any {
	if use.Analytic {
		return &analytic{File: "sledge-" + use.Name + ".sqlite", tuning: tuning{Synchronous: "normal", BusyTimeoutMillis: 10_000, CacheMiB: 256}}
	}
	return &Options{File: "sledge.sqlite", tuning: tuning{Synchronous: "normal", BusyTimeoutMillis: 10_000, CacheMiB: 8}}
}

// fromURL accepts sqlite:relative.db, sqlite:/absolute.db and sqlite:///absolute.db.
func fromURL(u *url.URL) (option.Values, error) {
	if u.Host != "" || u.RawQuery != "" {
		return nil, fmt.Errorf("the URL of a SQLite file is sqlite:FILE, without host or parameters")
	}
	file := u.Opaque
	if file == "" {
		file = u.Path
	}
	if file == "" {
		return nil, errors.New("the URL names no file: write sqlite:FILE")
	}
	return option.Values{"file": file}, nil
}

// create is Container.Create. If the file does not exist, it creates the file and records that in
// it.
func create(ctx context.Context, options any, _ func(job.Event)) error {
	o := of(options)
	if info, err := os.Stat(o.File); err == nil && !info.Mode().IsRegular() {
		return notRegular(o)
	}
	f, err := os.OpenFile(o.File, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	exists := errors.Is(err, fs.ErrExist)
	if exists {
		f, err = os.OpenFile(o.File, os.O_RDWR, 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return database.Missing(o.Wrong("file", o.File, "the folder of the file %s does not exist: create it, or name another file", o.File))
	}
	if err != nil {
		return o.Wrong("file", o.File, "create the database: %w", err)
	}
	if err := f.Close(); err != nil || exists {
		return err
	}
	s, err := connect(ctx, options, database.Owner)
	if err != nil {
		return err
	}
	return errors.Join(sqlschema.RecordCreation(ctx, s, "", filepath.Base(o.File)), s.Close())
}

// notRegular returns the error for a folder, a device or a pipe, which SQLite cannot lock or write
// to.
func notRegular(o *Options) error {
	return o.Wrong("file", o.File, "%s is not a regular file, %w: name another file", o.File, database.ErrUnfit)
}

// wasCreated reports whether a build created the file.
func wasCreated(ctx context.Context, options any) (bool, error) {
	s, err := connect(ctx, options, database.Owner)
	if errors.Is(err, database.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	created, err := sqlschema.WasCreated(ctx, s, "", "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '"+sqlschema.CreationTable+"'", filepath.Base(of(options).File))
	return created, errors.Join(err, s.Close())
}

// hasTables reports whether the file has tables besides the record of its creation. It returns false if there is no
// file.
func hasTables(ctx context.Context, options any) (bool, error) {
	s, err := connect(ctx, options, database.Owner)
	if errors.Is(err, database.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t, err := s.Query(ctx, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name <> '"+sqlschema.CreationTable+"'", 1)
	return len(t.Rows) > 0, errors.Join(err, s.Close())
}

// file is Options.File, and Options.Target.
func file(options any) string { return of(options).File }

// drop is Container.Drop. It removes the file, and the files that SQLite keeps beside it. It claims
// the file first, because another build may have begun in it meanwhile.
func drop(ctx context.Context, options any, d database.DropOptions) (_ []database.DropResult, failed error) {
	if d.Leftover && len(d.Others) > 0 {
		return nil, nil
	}
	o := of(options)
	fate := database.DropResult{Kind: "file", Name: o.File}
	var others bool // another job works in it, or has worked in it since the schema was dropped
	if !d.Dry {
		release, waited, err := claimSoon(ctx, options)
		if err != nil && !errors.Is(err, database.ErrClaimed) {
			return nil, err
		}
		if others = release == nil; !others {
			defer func() { failed = errors.Join(failed, release()) }()
		}
		if waited && !others {
			if others, err = hasTables(ctx, options); err != nil {
				return nil, err
			}
		}
	}
	switch _, err := os.Stat(o.File); {
	case errors.Is(err, fs.ErrNotExist): // another deletion has removed it
		return nil, nil
	case others:
		fate.Stays = "another job works in it"
		return []database.DropResult{fate}, nil
	}
	created, err := wasCreated(ctx, options)
	switch {
	case err != nil:
		return nil, err
	case d.Leftover && !created:
		return nil, nil
	case len(d.Others) > 0:
		fate.Stays = database.AlsoHolds(d.Others)
	case !d.Drops(created):
		fate.Stays = database.NotCreated("rm " + o.File)
	}
	if !d.Dry {
		if err := dropCopy(ctx, o); err != nil {
			return nil, err
		}
	}
	if fate.Stays != "" || d.Dry {
		return []database.DropResult{fate}, nil
	}
	if err := removeFile(o.File); err != nil {
		return nil, err
	}
	return []database.DropResult{fate}, nil
}

// briefMillis is the longest busy_timeout, the default, with which calls need not be interruptible.
// Interruptible calls would take a fifth of the CPU time.
const briefMillis = 10_000

func connect(ctx context.Context, options any, _ database.Role) (database.Session, error) {
	o := of(options)
	switch info, err := os.Stat(o.File); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, database.Missing(o.Wrong("file", o.File, "there is no file %s: a build makes it", o.File))
	case err != nil:
		return nil, o.Wrong("file", o.File, "%w", err)
	case !info.Mode().IsRegular():
		return nil, notRegular(o)
	}
	s, err := database.OpenSQL(ctx, "sqlite", source(o), dialect)
	if err != nil {
		return nil, o.Wrong("file", o.File, "open %s: %w", o.File, err)
	}
	s.Brief = o.BusyTimeoutMillis <= briefMillis
	// After some errors, such as a full disk, SQLite has rolled the transaction back
	// (www.sqlite.org/lang_transaction.html).
	s.RolledBack = func(err error) bool { return strings.Contains(err.Error(), "no transaction is active") }
	s.BeginStatement = func(access database.Access) string {
		if access == database.ReadOnly {
			return "BEGIN"
		}
		// A transaction that begins with a read may be unable to write later, however long it
		// waits. If it announces the write at its beginning, it only has to wait.
		return "BEGIN IMMEDIATE"
	}
	return s, nil
}

// source returns the data source name for the driver, which does not create the file.
func source(o *Options) string {
	path := (&url.URL{Path: filepath.ToSlash(o.File)}).EscapedPath()
	pragmas := url.Values{"mode": {"rw"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", o.BusyTimeoutMillis),
		"synchronous(" + o.Synchronous + ")",
		fmt.Sprintf("cache_size(-%d)", o.CacheMiB*1024),
	}}
	return "file:" + path + "?" + pragmas.Encode()
}

// SQLite's primary result codes, www.sqlite.org/rescode.html.
const (
	codePerm       = 3
	codeBusy       = 5
	codeLocked     = 6
	codeNoMem      = 7
	codeReadOnly   = 8
	codeIOErr      = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeTooBig     = 18
	codeConstraint = 19
	codeMismatch   = 20
	codeAuth       = 23
	codeNotADB     = 26
)

// explain is Sessions.Explain.
func explain(err error) database.Explanation {
	e := database.Explanation{Message: err.Error()}
	if own, ok := errors.AsType[*sqlite.Error](err); ok {
		e.Number = own.Code()
	}
	return e
}

func classify(err error) meter.Class {
	var e *sqlite.Error
	if errors.Is(err, database.ErrInterrupted) {
		return meter.Connection
	}
	if !errors.As(err, &e) {
		return meter.Other
	}
	switch e.Code() & 0xff {
	case codeBusy, codeLocked:
		return meter.Busy
	case codeNoMem, codeIOErr, codeFull:
		return meter.Resource
	case codeTooBig, codeConstraint, codeMismatch:
		return meter.Constraint
	case codePerm, codeReadOnly, codeAuth:
		return meter.Permission
	case codeCantOpen, codeCorrupt, codeNotADB:
		return meter.Connection
	}
	return meter.Other
}

func columnType(c schema.Column) string {
	switch c.Type {
	case schema.Char, schema.Varchar, schema.Date, schema.Timestamp:
		return "TEXT"
	case schema.Decimal:
		return "NUMERIC"
	default:
		return "INTEGER"
	}
}
