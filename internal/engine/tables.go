package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// standing is what stands in a database: the columns of its tables, by name.
type standing map[string][]string

// findTables asks the database for its tables.
func findTables(ctx context.Context, p Plan, s database.Session) (standing, error) {
	q, err := p.SQL.Query("tables")
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(ctx, q.Text, 0)
	if err != nil {
		return nil, fmt.Errorf("look for tables: %w", err)
	}
	found := standing{}
	for _, row := range rows.Rows {
		found[row[0]] = append(found[row[0]], row[1])
	}
	return found, nil
}

// ours lists the workload's tables that are there.
func (t standing) ours(p Plan) []string {
	var names []string
	for _, table := range p.Workload.Tables(p.Settings, p.Seed) {
		if _, ok := t[table.Name]; ok {
			names = append(names, table.Name)
		}
	}
	return names
}

// others lists the tables that are neither the workload's nor the ledger.
func (t standing) others(p Plan) []string {
	var names []string
	ours := t.ours(p)
	for name := range t {
		if name != ledgerTable.Name && !slices.Contains(ours, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// requireSchema returns an error unless the whole schema is there to be used.
func requireSchema(ctx context.Context, p Plan, s database.Session) error {
	found, err := findTables(ctx, p, s)
	if err != nil {
		return err
	}
	if _, unfinished := found[ledgerTable.Name]; unfinished {
		return job.WithExit(job.ExitExists, fmt.Errorf(
			"the build of the %s schema in %s was not finished: resume it (sledge build --resume, or buildschema resume), or delete the schema",
			p.Workload.Title, p.target()))
	}
	if ours, all := found.ours(p), p.Workload.Tables(p.Settings, p.Seed); len(ours) < len(all) {
		missing := "no tables of it are there"
		if len(ours) > 0 {
			missing = "only the tables " + strings.Join(ours, ", ") + " are there"
		}
		return job.WithExit(job.ExitMissing, fmt.Errorf(
			"there is no %s schema in %s (%s): make one with sledge build", p.Workload.Title, p.target(), missing))
	}
	return nil
}
