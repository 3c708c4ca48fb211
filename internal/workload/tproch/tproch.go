// Package tproch is TPROC-H: the analytic workload derived from TPC-H 3.0.1. Its rows are identical
// to those of the TPC's dbgen, and its queries to those of qgen.
package tproch

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
	"sledge/internal/workload/tproch/dbgen"
	"sledge/internal/workload/tproch/qgen"
)

//go:embed sql
var files embed.FS

// Workload is TPROC-H.
var Workload = &workload.Workload{
	Name:    "tproch",
	Title:   "TPROC-H",
	Aliases: []string{"tpch", "tpc-h", "tproc-h"},
	Kinds:   slices.Concat(queryKinds(), refreshKinds(), cloudKinds()),
	Options: newOptions,
	Use:     database.Use{Name: "tpch", Analytic: true},
	Schema: workload.Schema{
		Size:   workload.Size{Option: "scale_factor", Unit: "scale factor"},
		Tables: func(options any, _ uint64) []schema.Table { return options.(*Options).tables() },
		Identity: func(options any, _ uint64) string {
			return "scale factor " + options.(*Options).Scale.String()
		},
		Builders:    func(options any) int { return options.(*Options).Builders },
		Unbuildable: unbuildable,
		Keeps: &workload.Keeping{
			Table:  refreshTable,
			Wanted: func(options any) bool { return options.(*Options).refreshes() },
		},
		DataFiles: dataFiles,
		Rules:     rules,
		Inspect:   inspect,
		Extent:    extent,
		BuiltBy:   builtBy,
	},
	Users: workload.Users{
		Survey:      survey,
		NewTerminal: newTerminal,
		NewExecutor: newExecutor,
		NewTrial:    newTrial,
		Finite:      true,
		Stages:      stages,
		Queries:     queries,
		Grace:       5 * time.Minute, // a query may take that long; a user who cannot wait aborts
	},
	Evidence: workload.Evidence{Counted: workload.Throughput{Name: "QPH", Means: "queries an hour", Per: time.Hour}},
	Score: workload.Score{
		Of: score,
		Figures: []workload.Figure{
			{Name: compositeFigure},
			{Name: powerFigure},
			{Name: throughputFigure},
			{Name: hourlyFigure},
			{Name: meanFigure, Unit: "s"},
			{Name: meanOf(powerTest), Unit: "s"},
			{Name: meanOf(throughputTest), Unit: "s"},
			{Name: meanWithRows, Unit: "s"},
		},
		Traits:  traits,
		Remarks: remarks,
	},
	Variants: variants,
	Modes: []workload.Mode{
		{Name: "queries"},
		{Name: "1 user", Users: 1},
		{Name: "refresh", Set: "refresh=true"},
		{Name: "power test", Set: "test=power", Users: 1},
		{Name: "throughput test", Set: "test=throughput"},
		{Name: "both tests", Set: "test=both"},
		{Name: "cloud queries", Set: "cloud_queries=true"},
		{Name: "validation", Set: "validation=true"},
	},
	SQL: files,
}

// queryKinds are the 22 queries, query 1 first.
func queryKinds() []workload.Kind {
	kinds := make([]workload.Kind, qgen.Queries)
	for i := range kinds {
		kinds[i].Name = fmt.Sprintf("query %d", i+1)
	}
	return kinds
}

// refreshKinds are the refresh functions.
func refreshKinds() []workload.Kind {
	return []workload.Kind{{Name: newSales.kind()}, {Name: oldSales.kind()}}
}

// kind returns the kind of transaction of a refresh function.
func (f function) kind() string { return string(f) + " refresh" }

func kindOf(f function) meter.Kind {
	if f == newSales {
		return qgen.Queries
	}
	return qgen.Queries + 1
}

// findScale returns the scale factor of a schema from the number of its suppliers, which is 10,000
// at scale 1. It returns 0 for a schema without suppliers.
func findScale(ctx context.Context, s database.Session, sql *sqlfile.Library) (float64, error) {
	q, err := sql.Query("suppliers")
	if err != nil {
		return 0, err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil {
		return 0, fmt.Errorf("count the suppliers: %w", err)
	}
	if len(t.Rows) != 1 {
		return 0, fmt.Errorf("count the suppliers: got %d rows", len(t.Rows))
	}
	n, err := strconv.ParseInt(t.Rows[0][0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("count the suppliers: %w", err)
	}
	return float64(n) / suppliersAtScale1, nil
}

const suppliersAtScale1 = 10_000

// survey reads the scale factor, on which query 11 depends, and the progress of refreshes.
func survey(ctx context.Context, l workload.Look) (any, error) {
	factor, err := findScale(ctx, l.Session, l.SQL)
	if err != nil || !l.Options.(*Options).refreshes() {
		return surveyed{factor: factor}, err
	}
	s := surveyed{factor: factor}
	if s.size, err = dbgen.NewScale(factor); err != nil {
		return nil, fmt.Errorf("the number of suppliers belongs to a scale factor that cannot be refreshed: %w", err)
	}
	s.done, err = readProgress(ctx, l, s.size)
	return s, err
}

func extent(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error) {
	factor, err := findScale(ctx, s, sql)
	if err != nil {
		return "", err
	}
	size := "scale factor " + strconv.FormatFloat(factor, 'g', -1, 64)
	foreign, err := builtBy(ctx, s, sql)
	if foreign != "" {
		size += ", rows of " + foreign
	}
	return size, err
}

// rules are the cardinalities of TPC-H 4.2.5, the references of 1.4 and the sums of 4.2.3.
var rules = []workload.Rule{
	{Name: "fixed", Title: "there are 5 regions and 25 nations", Source: "TPC-H 4.2.5"},
	{Name: "sizes", Title: "part, partsupp, customer and orders have the sizes that belong to supplier", Source: "TPC-H 4.2.5"},
	{Name: "lines", Title: "each order has 1 to 7 lines, numbered from 1", Source: "TPC-H 4.2.3", Begins: "lines of orders"},
	{Name: "references", Title: "every key that a row refers to exists", Source: "TPC-H 1.4.2", Begins: "references"},
	{Name: "totals", Title: "O_TOTALPRICE = sum(L_EXTENDEDPRICE * (1 + L_TAX) * (1 - L_DISCOUNT)) of the lines, truncated to cents", Source: "TPC-H 4.2.3", Begins: "totals of orders"},
	{Name: "status", Title: "O_ORDERSTATUS is F or O if all lines have that status, and otherwise P", Source: "TPC-H 4.2.3", Begins: "status of orders", Foreign: alwaysOpen},
	{Name: "customers", Title: "no customer whose key is divisible by three has orders", Source: "TPC-H 4.2.3", Begins: "customers without orders"},
}
