// Package analytics provides a workload for tests: analytic queries on a TPROC-C schema, for a
// group of users beside the TPROC-C users. It builds nothing, and does not import TPROC-C.
package analytics

import (
	"context"
	"embed"
	"errors"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

//go:embed sql
var files embed.FS

// Workload executes queries without end. Each user begins with a different query. A query may take
// any time.
var Workload = &workload.Workload{
	Name: "analytics", Title: "Analytics",
	Kinds:   []workload.Kind{{Name: "query 1"}, {Name: "query 4"}, {Name: "query 6"}, {Name: "query 12"}, {Name: "query 14"}},
	Options: func() any { return &struct{}{} },
	Schema: workload.Schema{
		Tables: func(any, uint64) []schema.Table {
			return []schema.Table{{Name: "order_line"}, {Name: "orders"}, {Name: "item"}}
		},
		Builders: func(any) int { return 1 },
	},
	Users: workload.Users{
		NewTerminal: func(slot workload.Slot) workload.Terminal { return &terminal{next: slot.Number} },
		NewExecutor: newExecutor,
		Finite:      true,
	},
	Evidence: workload.Evidence{Counted: workload.Throughput{Name: "QPM", Means: "queries a minute", Per: workload.TPM.Per}},
	SQL:      files,
}

// terminal chooses one query after the other.
type terminal struct{ next int }

// Pick implements workload.Terminal.
func (t *terminal) Pick() (workload.Transaction, bool) {
	kind := t.next % len(queries)
	t.next++
	return workload.Transaction{Kind: meter.Kind(kind)}, true
}

// queries names the queries, by kind.
var queries = []string{"query_1", "query_4", "query_6", "query_12", "query_14"}

type executor struct {
	session database.Session
	queries []sqlfile.Query
}

func newExecutor(_ context.Context, c workload.Connection) (workload.Executor, error) {
	e := executor{session: c.Session}
	for _, name := range queries {
		q, err := c.SQL.Query("queries." + name)
		if err != nil {
			return nil, err
		}
		e.queries = append(e.queries, q)
	}
	return e, nil
}

// Do implements workload.Executor.
func (e executor) Do(ctx context.Context, t workload.Transaction) error {
	if err := e.session.Begin(ctx, database.ReadOnly); err != nil {
		return err
	}
	const most = 100 // rows; the queries have fewer
	_, err := e.session.Query(ctx, e.queries[t.Kind].Text, most)
	return errors.Join(err, e.session.Commit(ctx))
}
