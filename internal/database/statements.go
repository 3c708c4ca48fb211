package database

import "context"

// Statements reads the server's own statistics of statements.
type Statements struct {
	// Lacking returns what the user can do to get the statistics, or "" if the server keeps them.
	// Optional.
	Lacking func(ctx context.Context, s Session) (string, error)

	// Counts returns the statistics of all statements in the session's database since their reset.
	Counts func(ctx context.Context, s Session) ([]StatementCount, error)

	// Texts returns the beginnings of the texts of statements, by ID. Optional: the IDs are the texts.
	Texts func(ctx context.Context, s Session, ids []string) (map[string]string, error)
}

// StatementCount is what a server counted of a statement.
type StatementCount struct {
	ID           string
	Calls        float64
	Milliseconds float64            // in the server
	Rows         float64            // returned or changed
	Others       map[string]float64 // other counters, by the server's names
}
