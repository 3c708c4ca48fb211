package engine

import (
	"context"
	"fmt"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// remove drops the schema, and then the database and the account that a build
// makes, unless the database holds something else.
func remove(ctx context.Context, p Plan, f *feed) (job.Result, error) {
	session, err := connect(ctx, p, database.Owner)
	if err != nil {
		return job.Result{}, err
	}
	defer session.Close()
	if err := p.sayProduct(ctx, session, f); err != nil {
		return job.Result{}, err
	}
	found, err := findTables(ctx, p, session)
	if err != nil {
		return job.Result{}, err
	}
	_, unfinished := found[ledgerTable.Name]
	if len(found.ours(p)) == 0 && !unfinished {
		return job.Result{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no %s schema in %s", p.Workload.Title, p.target()))
	}
	if err := dropTables(ctx, p, session); err != nil {
		return job.Result{}, err
	}
	if err := session.Exec(ctx, "DROP TABLE IF EXISTS "+ledgerTable.Name); err != nil {
		return job.Result{}, fmt.Errorf("drop the ledger of the build: %w", err)
	}
	f.say(monitorPosition, p.Database.Said.Deleted, p.Database.Said.Schema(p.Connection), p.Workload.Title)
	if others := found.others(p); len(others) > 0 {
		f.say(monitorPosition, "The database stays: it also holds %s", strings.Join(others, ", "))
		return job.Result{}, nil
	}
	if p.Database.Drop == nil {
		return job.Result{}, nil
	}
	if err := session.Close(); err != nil {
		return job.Result{}, fmt.Errorf("close the session before the database is dropped: %w", err)
	}
	dropped := func(kind, name string) {
		f.say(monitorPosition, "%s %s %s has been deleted successfully.", name, p.Workload.Title, kind)
	}
	if err := p.Database.Drop(ctx, p.Connection, dropped); err != nil {
		return job.Result{}, fmt.Errorf("the schema is dropped, but not the database: %w", err)
	}
	f.say(monitorPosition, "Dropped %s", p.target())
	return job.Result{}, nil
}

// dropTables runs the pair's own drop script, or else drops each table.
func dropTables(ctx context.Context, p Plan, session database.Session) error {
	statements, err := p.SQL.Script("drop", p)
	if err != nil {
		return err
	}
	if !p.SQL.Has("drop") {
		for _, t := range p.Workload.Tables(p.Settings, p.Seed) {
			statements = append(statements, "DROP TABLE IF EXISTS "+t.Name)
		}
	}
	for _, s := range statements {
		if err := session.Exec(ctx, s); err != nil {
			return fmt.Errorf("drop the schema: %w", err)
		}
	}
	return nil
}
