// Package capture drafts a workload of a user's own from what a server counts of its statements: their
// frequencies, with parameters that are drawn from the columns that they meet. No value of a statement or of a row
// is in the draft.
//
// It changes nothing on the server, and executes none of the captured statements.
package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/DataDog/go-sqllexer"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
)

// Taking reads a server's statistics of statements and drafts a workload from them.
type Taking struct {
	Job plan.Job
	For time.Duration   // how long calls are counted; 0 takes all since the server's statistics were reset
	End <-chan struct{} // ends the counting early

	// Logged are statements that were counted in a log. With them the server's statistics are not read.
	Logged []Statement

	// Say receives a message if the server is another product than the chosen one, and if it hides statements. Each
	// receives the calls so far, about once a second. Run calls both in its own goroutine.
	Say  func(line string)
	Each func(calls float64, passed time.Duration)
}

// Run reads and drafts. An error of the connection has its exit code.
func (t Taking) Run(ctx context.Context) (Draft, error) {
	statements := t.Job.Server.Statements
	if statements == nil || statements.Columns == nil {
		return Draft{}, job.WithExit(job.ExitUsage, fmt.Errorf("%s: Sledge cannot read its statistics of statements as texts: choose PostgreSQL, MySQL or MariaDB", t.Job.Database.Title))
	}
	s, err := target.ConnectSteady(ctx, t.Job)
	if err != nil {
		return Draft{}, err
	}
	defer target.CloseQuietly(&s)
	product, err := target.OtherProduct(ctx, t.Job, s)
	if err != nil {
		return Draft{}, err
	}
	if product != "" {
		t.Say(target.AnsweredBy(t.Job, product))
	}
	captured, since, err := t.captured(ctx, s)
	if err != nil {
		return Draft{}, err
	}
	server := Server{
		Dialect:    dialects[t.Job.Database.Dialect.Placeholder(1)],
		Parameters: func(ctx context.Context, text string) ([]string, error) { return statements.Parameters(ctx, s, text) },
		Sample: func(ctx context.Context, table, column string) (database.ColumnSample, error) {
			return statements.Sample(ctx, s, table, column)
		},
		Range: func(ctx context.Context, table, column string) (least, greatest int64, err error) {
			return statements.Range(ctx, s, table, column)
		},
		Prepared: func(text string) (string, error) {
			q, err := sqlfile.Parse("statement", text, t.Job.Database.Dialect.Placeholder)
			return q.Text, err
		},
	}
	if server.Tables, err = statements.Columns(ctx, s); err != nil {
		return Draft{}, fmt.Errorf("list the columns of the tables: %w", err)
	}
	return New(ctx, fmt.Sprintf("Statements of %s, %s", t.Job.Database.Options.SchemaName(t.Job.Connection).Name, since), captured, server)
}

// ReadsSlowLogs reports whether the job's database writes slow query logs that ReadSlowLog reads.
func ReadsSlowLogs(j plan.Job) bool {
	return j.Server.Statements != nil && dialects[j.Database.Dialect.Placeholder(1)] == sqllexer.DBMSMySQL
}

// captured returns the statements, and of which time they are.
func (t Taking) captured(ctx context.Context, s database.Session) (captured []Statement, since string, err error) {
	if t.Logged != nil {
		return t.Logged, "from a log", nil
	}
	statements := t.Job.Server.Statements
	lacking, err := statements.Lacking(ctx, s)
	if err == nil && lacking != "" {
		err = job.WithExit(job.ExitUsage, errors.New(lacking))
	}
	if err != nil {
		return nil, "", fmt.Errorf("there are no statistics of statements: %w", err)
	}
	list, took, err := t.count(ctx, s)
	if err != nil {
		return nil, "", err
	}
	if statements.Hidden != nil {
		hidden, err := statements.Hidden(ctx, s)
		if err != nil {
			return nil, "", fmt.Errorf("ask for the statements of other users: %w", err)
		}
		if hidden != "" {
			t.Say(hidden)
		}
	}
	since = "since its statistics were reset"
	if t.For > 0 {
		since = "in " + took.Round(time.Second).String()
	}
	captured, err = withTexts(ctx, s, statements, list)
	return captured, since, err
}

// dialects are those of the words of statements, by the first placeholder.
var dialects = map[string]sqllexer.DBMSType{"$1": sqllexer.DBMSPostgres, "?": sqllexer.DBMSMySQL}

// every is the time between two readings. Sessions that end take the counts of their prepared statements with
// them on MySQL and MariaDB, so at most those of this time are lost.
const every = time.Second

// count returns what the server counted of each statement, and in what time.
func (t Taking) count(ctx context.Context, s database.Session) (list []database.StatementCount, took time.Duration, err error) {
	began := time.Now()
	last := map[string]database.StatementCount{}
	sums := map[string]database.StatementCount{}
	read := func() (calls float64, err error) {
		now, err := t.Job.Server.Statements.Counts(ctx, s)
		if err != nil {
			return 0, fmt.Errorf("read the statistics of statements: %w", err)
		}
		for _, one := range now {
			then, sum := last[one.ID], sums[one.ID]
			sums[one.ID] = database.StatementCount{
				ID: one.ID, Calls: sum.Calls + max(0, one.Calls-then.Calls), Rows: sum.Rows + max(0, one.Rows-then.Rows),
				Milliseconds: sum.Milliseconds + max(0, one.Milliseconds-then.Milliseconds),
			}
			last[one.ID] = one
		}
		for _, sum := range sums {
			calls += sum.Calls
		}
		return calls, nil
	}
	if _, err = read(); err != nil {
		return nil, 0, err
	}
	if t.For > 0 {
		clear(sums) // only what comes
		tick, over := time.NewTicker(every), time.After(t.For)
		defer tick.Stop()
		for ended := false; !ended; {
			select {
			case <-ctx.Done():
				return nil, 0, ctx.Err()
			case <-t.End:
				ended = true
			case <-over:
				ended = true
			case <-tick.C:
			}
			calls, err := read()
			if err != nil {
				return nil, 0, err
			}
			t.Each(calls, time.Since(began))
		}
	}
	for _, sum := range sums {
		list = append(list, sum)
	}
	return list, time.Since(began), nil
}

// withTexts adds the texts of the statements. One that the server has cut is not used.
func withTexts(ctx context.Context, s database.Session, ask *database.Statements, list []database.StatementCount) (captured []Statement, err error) {
	const atOnce = 500
	for some := range slices.Chunk(list, atOnce) {
		var ids []string
		for _, one := range some {
			ids = append(ids, one.ID)
		}
		whole, err := ask.Examples(ctx, s, ids)
		if err != nil {
			return nil, fmt.Errorf("read the texts of statements: %w", err)
		}
		texts, err := ask.Texts(ctx, s, ids)
		if err != nil {
			return nil, fmt.Errorf("read the texts of statements: %w", err)
		}
		for _, one := range some {
			captured = append(captured, textOf(one, whole[one.ID].Text, texts[one.ID]))
		}
	}
	return captured, nil
}

// textOf returns a statement with a whole text: the example, or the text without values if it is not cut.
func textOf(one database.StatementCount, example, text string) Statement {
	const longest = 1000 // characters that a server returns of a text
	for _, candidate := range []string{example, text} {
		isCut := candidate == text && len([]rune(candidate)) >= longest || len(candidate) > 3 && candidate[len(candidate)-3:] == "..."
		if candidate != "" && !isCut {
			return Statement{StatementCount: one, Text: candidate}
		}
	}
	if example != "" || text != "" {
		return Statement{StatementCount: one, Why: "the server has cut its text"}
	}
	return Statement{StatementCount: one}
}
