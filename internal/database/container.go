package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/job"
)

// Container makes, guards and drops what contains a schema: an account and a database on a server,
// or a file.
type Container struct {
	// Create creates the account and the database for the schema if they are missing. It is called
	// before every build and changes nothing that exists. It emits what it creates, and what the
	// build will leave out because the server is too old. Optional.
	Create func(ctx context.Context, options any, tell func(job.Event)) error

	// Lacking lists the rights for a build that the user of an Admin session lacks, if the server
	// shows them. Optional.
	Lacking func(ctx context.Context, options any, s Session) ([]string, error)

	// Claim keeps builds and deletions of others out of the database, and runs unless the claim is
	// shared, until release is called or the process ends. If another claim conflicts, it fails
	// with ErrClaimed at once. Optional: databases with sessions on a server have Schema.Claims.
	Claim func(ctx context.Context, options any, shared bool) (release func() error, err error)

	// Restore replaces the database by the copy that an earlier call kept. Without a copy, it keeps
	// one of the database as it is, and kept is true. It refuses a database that no build created,
	// and one that others are connected to. Optional.
	Restore func(ctx context.Context, options any) (kept bool, err error)

	// Drop removes the database and the account around a dropped schema, if nothing else is in
	// them, and the copy of Restore, and returns what it dropped and what it kept. Optional.
	Drop func(ctx context.Context, options any, d DropOptions) ([]DropResult, error)
}

// ErrClaimed is the error of Claim if another process has the claim.
var ErrClaimed = errors.New("another process works in the database")

// ErrUnfit: the database cannot hold a schema.
var ErrUnfit = errors.New("so no schema can be built in it")

// DropOptions tell Drop what surrounds the deleted schema, and what it may drop.
type DropOptions struct {
	Others []string // the other contents of the database, in words
	Dry    bool     // only report what would happen to the database and the account: the schema still exists

	// Leftover says that there was no schema, so Drop may only remove what a build is known to have
	// created.
	Leftover bool

	// Builder names the other program that built the schema, "" if none is known. Such a program
	// creates the database and the account and records nothing, so they are dropped as if a
	// build had created them.
	Builder string
}

// Drops reports whether to drop the database, the file or the account if nothing else is in it.
// Created says that a build is known to have created it.
func (d DropOptions) Drops(created bool) bool { return created || d.Builder != "" && !d.Leftover }

// DropResult says whether a database, a file or an account is dropped with its schema.
type DropResult struct {
	Kind, Name string // "role", "tpcc"
	Stays      string // why it stays; "" if it goes
}

// NotCreated returns the reason for keeping something that no build is known to have created, with
// the statement that drops it.
func NotCreated(command string) string {
	return "nothing shows that a build created it; if nothing needs it, drop it with " + command
}

// AlsoHolds returns the reason for keeping a database that holds anything else.
func AlsoHolds(others []string) string {
	const few = 10
	if len(others) > few+1 {
		others = append(slices.Clone(others[:few]), fmt.Sprintf("%d more", len(others)-few))
	}
	return "it also holds " + strings.Join(others, ", ")
}
