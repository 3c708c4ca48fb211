package database

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"sync/atomic"

	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// StandIn speaks the protocol of a database in place of a server. It answers at once and has no data,
// so a run on it measures the client alone.
type StandIn struct {
	// Options are the option values with which sessions connect to a stand-in.
	Options func(host string, port int) option.Values

	// New prepares the answers once. serve answers the requests of one connection until its client
	// ends it, and may be called by several goroutines at the same time.
	New func(a *Answers) (serve func(net.Conn) error, err error)
}

// Answer is the answer to a statement. Without columns it says that the statement changed one row. A
// stand-in that repeats recorded answers uses only Ends.
type Answer struct {
	Columns []schema.Column
	Rows    [][]string

	// Ends says that the statement is a whole transaction, so that the stand-in counts it.
	Ends bool
}

// Answers are the answers of a stand-in, and its counts.
type Answers struct {
	SQL    *sqlfile.Library
	byName map[string]Answer // by the names of the statements in SQL

	ended   atomic.Int64
	unknown atomic.Pointer[string]
}

// NewAnswers returns the answers to statements by their names in the SQL of a pair.
func NewAnswers(sql *sqlfile.Library, byName map[string]Answer) *Answers {
	return &Answers{SQL: sql, byName: byName}
}

// Each calls do with each statement, as a session sends it, and its answer. It stops at the first
// error.
func (a *Answers) Each(do func(q sqlfile.Query, answer Answer) error) error {
	for _, name := range slices.Sorted(maps.Keys(a.byName)) {
		q, err := a.SQL.Query(name)
		if err == nil {
			err = do(q, a.byName[name])
		}
		if err != nil {
			return fmt.Errorf("the stand-in's answer to %s: %w", name, err)
		}
	}
	return nil
}

// End counts a transaction.
func (a *Answers) End() { a.ended.Add(1) }

// Ended returns the number of transactions so far.
func (a *Answers) Ended() int64 { return a.ended.Load() }

// Lack records a statement without an answer.
func (a *Answers) Lack(text string) { a.unknown.CompareAndSwap(nil, &text) }

// Lacked returns the first statement without an answer, or "".
func (a *Answers) Lacked() string {
	if text := a.unknown.Load(); text != nil {
		return *text
	}
	return ""
}
