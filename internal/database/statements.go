package database

import (
	"context"
	"errors"
	"regexp"
	"strings"
)

// Statements reads the server's own statistics of statements.
type Statements struct {
	// Lacking returns what the user can do to get the statistics, or "" if the server keeps them.
	// Optional.
	Lacking func(ctx context.Context, s Session) (string, error)

	// Counts returns the statistics of all statements in the session's database since their reset.
	Counts func(ctx context.Context, s Session) ([]StatementCount, error)

	// Texts returns the beginnings of the texts of statements, by ID. Optional: the IDs are the texts.
	Texts func(ctx context.Context, s Session, ids []string) (map[string]string, error)

	// Examples returns the whole texts of statements by ID, for Explain. The ID "" has the reason for those
	// that are missing. Optional, like Explain.
	Examples func(ctx context.Context, s Session, ids []string) (map[string]StatementExample, error)

	// Explain returns the server's plan of a statement, which Dialect.ReadPlan reads. It executes nothing, gives
	// up after a second, and leaves the session usable after an error. The plan has no private values.
	Explain func(ctx context.Context, s Session, example StatementExample) (Table, error)

	// Hidden returns what the user can do if the server hides the statements of other users, or "". Optional.
	Hidden func(ctx context.Context, s Session) (string, error)

	// Columns lists the columns of the tables of the session's database, in their order. Optional, like
	// Parameters.
	Columns func(ctx context.Context, s Session) ([]TableColumn, error)

	// Sample describes the values of a column in some rows of its table, and Range returns the least and the greatest
	// value of a column of whole numbers. Their names need no quotes. They give up after a second, and leave the
	// session usable after an error. Optional, like Columns.
	Sample func(ctx context.Context, s Session, table, column string) (ColumnSample, error)
	Range  func(ctx context.Context, s Session, table, column string) (least, greatest int64, err error)

	// Parameters returns the server's types of the parameters of a statement, in order; none if the server does
	// not tell them. The error may say that the server does not accept the statement. It executes nothing.
	Parameters func(ctx context.Context, s Session, text string) ([]string, error)
}

// ColumnSample has the numbers of some rows of a table, of those that have a value in a column, and of its different
// values.
type ColumnSample struct{ Rows, Filled, Distinct int64 }

// TableColumn is a column of a table that users made.
type TableColumn struct {
	Table  string // with its schema, if a statement must name it
	Column string
	Type   string  // by the server's name
	Unique bool    // no two rows have the same value
	Rows   float64 // of the table, by the server's estimate
}

// StatementExample is a whole text of a statement, with values or with parameters, as the server keeps it.
type StatementExample struct {
	Text string
	Why  string // why it cannot be explained, or ""
	How  string // the way to explain it, for Explain
}

// explained matches statements that EXPLAIN accepts and does not execute, after comments.
var explained = regexp.MustCompile(`(?is)^(?:\s|/\*.*?\*/|--[^\n]*\n)*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

// Explainable returns an error if a text is not a statement that can be explained.
func Explainable(text string) error {
	if !explained.MatchString(text) {
		return errors.New("only SELECT, INSERT, UPDATE, DELETE and WITH have plans")
	}
	if strings.Contains(strings.TrimRight(text, "; \t\r\n"), ";") { // even inside a value, because nothing else may be executed
		return errors.New("its text contains a semicolon, so it may be several statements")
	}
	return nil
}

// StatementCount is what a server counted of a statement.
type StatementCount struct {
	ID           string
	Calls        float64
	Milliseconds float64            // in the server
	Rows         float64            // returned or changed
	Others       map[string]float64 // other counters, by the server's names
}
