package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/job"
	"sledge/internal/schema"
	"sledge/internal/workload"
)

// state is the state of a workload's schema in a database.
type state int

// The states. Jobs drop objects only in states in which the schema is proven to be the workload's.
const (
	nothing  state = iota // no table name of the workload is in use
	Whole                 // all tables exist, with all columns
	halfMade              // the build log exists, and some of the tables
	part                  // some of the tables exist, but no build log explains them
	taken                 // another object has the name of a table
)

// SchemaState describes the objects in a database that concern a workload's schema. Build, run,
// check and delete all use it, so that they agree.
type SchemaState struct {
	State    state
	tables   []string          // the workload's tables, by their names in the database; their columns prove them
	missing  []string          // missing tables of the workload
	Names    map[string]string // the names of tables that differ from the workload's; nil if none differ
	kept     bool              // Sledge's table in which runs record data exists
	strange  []string          // descriptions of other objects with the names of tables
	hasBook  bool              // the build log of this workload exists
	BuildLog BuildLog          // its contents
}

// Inspect reads the state of the schema.
func Inspect(ctx context.Context, j plan.Job, s database.Session) (SchemaState, error) {
	found, err := j.Schema.Relations(ctx, s)
	if err != nil {
		return SchemaState{}, fmt.Errorf("look for tables: %w", err)
	}
	var st SchemaState
	schemas := map[string]bool{}
	tables := j.Workload.Schema.Tables(j.Settings, j.Spec.Seed)
	if j.Database.Dialect.TellsCapitals {
		st.Names = inCapitals(found, tables)
	}
	for _, t := range tables {
		name := cmp.Or(st.Names[t.Name], t.Name)
		r, there := found[name]
		if !there {
			st.missing = append(st.missing, t.Name)
			continue
		}
		if why := differs(r, t.ColumnNames()); why != "" {
			st.strange = append(st.strange, r.Kind+" "+t.Name+why)
			continue
		}
		st.tables = append(st.tables, name)
		schemas[r.Schema] = true
	}
	st.findKept(j, found, schemas)
	if book, there := found[database.BuildLogTable.Name]; there && len(tables) > 0 {
		if err := st.readBook(ctx, j, s, book); err != nil {
			return st, err
		}
		schemas[book.Schema] = true
	}
	if len(schemas) > 1 && len(st.strange) == 0 {
		st.strange = []string{"tables in several schemas: " + strings.Join(slices.Sorted(maps.Keys(schemas)), ", ")}
	}
	switch {
	case len(st.strange) > 0:
		st.State = taken
	case st.hasBook:
		st.State = halfMade
	case len(st.tables) == 0 && len(tables) > 0:
		st.State = nothing
	case len(st.missing) > 0:
		st.State = part
	default:
		st.State = Whole
	}
	return st, nil
}

// inCapitals maps the tables to their names in capitals if all tables exist under those names and
// none under its own; otherwise it returns nil. Other programs create such tables on databases with
// case-sensitive names.
func inCapitals(found map[string]database.Relation, tables []schema.Table) map[string]string {
	names := map[string]string{}
	for _, t := range tables {
		name := strings.ToUpper(t.Name)
		r, there := found[name]
		if _, ours := found[t.Name]; ours || !there || differs(r, t.ColumnNames()) != "" {
			return nil
		}
		names[t.Name] = name
	}
	return names
}

// findKept finds the table in which runs record data. If no table of the workload exists, the table
// is left over from a dropped schema, and its data do not apply to the next one.
func (st *SchemaState) findKept(j plan.Job, found map[string]database.Relation, schemas map[string]bool) {
	if j.Workload.Schema.Keeps == nil {
		return
	}
	table := j.Workload.Schema.Keeps.Table
	r, there := found[table.Name]
	if !there {
		return
	}
	why := differs(r, table.ColumnNames())
	if why == "" && len(st.tables) == 0 {
		why = ", which is left over from a dropped schema"
	}
	if why != "" {
		st.strange = append(st.strange, r.Kind+" "+table.Name+why)
		return
	}
	st.kept = true
	schemas[r.Schema] = true
}

// readBook reads the build log. A table is a build log if it has the right columns and identifies a
// build of the workload. Before the first table exists, it may be empty.
func (st *SchemaState) readBook(ctx context.Context, j plan.Job, s database.Session, book database.Relation) error {
	if why := differs(book, database.BuildLogTable.ColumnNames()); why != "" || len(book.Columns) > len(database.BuildLogTable.Columns) {
		st.strange = append(st.strange, book.Kind+" "+database.BuildLogTable.Name+why)
		return nil
	}
	var err error
	if st.BuildLog, err = readBuildLog(ctx, j, s); err != nil && !errors.Is(err, database.ErrNoBuildLog) {
		return err
	}
	begun := err == nil && st.BuildLog.Identity == "" && len(st.tables) == 0 && len(st.BuildLog.Loaded) == 0
	if st.hasBook = begun || err == nil && strings.HasPrefix(st.BuildLog.Identity, j.Workload.Name+": "); !st.hasBook {
		st.strange = append(st.strange, book.Kind+" "+database.BuildLogTable.Name+", which belongs to no build of "+j.Workload.Title)
	}
	return nil
}

// differs returns why an object is not a table with these columns, or "" if it is. Additional
// columns are allowed, because other builders add some.
func differs(r database.Relation, columns []string) string {
	var missing []string
	for _, c := range columns {
		if !slices.Contains(r.Columns, c) {
			missing = append(missing, c)
		}
	}
	switch {
	case r.Kind != "table":
		return " (not a table)"
	case len(missing) > 0:
		return fmt.Sprintf(" (lacks %s)", Listed(missing, 3))
	}
	return ""
}

// OwnTables lists the tables that are proven to be Sledge's, in the order in which they are
// dropped. The table in which runs record data is first, because the others prove it. The build log
// is last, because it proves the others.
func (st SchemaState) OwnTables(j plan.Job) []string {
	tables := slices.Clone(st.tables)
	if st.kept {
		tables = slices.Insert(tables, 0, j.Workload.Schema.Keeps.Table.Name)
	}
	if st.hasBook {
		tables = append(tables, database.BuildLogTable.Name)
	}
	return tables
}

// Unproven returns an error if nothing proves that Sledge has built the tables.
func (st SchemaState) Unproven(j plan.Job) error {
	keeps := j.Workload.Schema.Keeps
	if keeps == nil || !keeps.Proof || st.kept || st.hasBook || len(st.tables) == 0 {
		return nil
	}
	return refused(fmt.Errorf(
		"%s has the tables of %s, but not the table %s that a build of Sledge leaves, so another program may have built them. Nothing was dropped: drop them yourself if they are not needed",
		j.Target(), j.Workload.Title, keeps.Table.Name))
}

// Listed joins the first few names, and counts the others.
func Listed(names []string, few int) string {
	if len(names) <= few+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// Refusal returns the error of a job that finds foreign objects or a partial schema. It returns nil
// in the other states.
func (st SchemaState) Refusal(j plan.Job) error {
	switch st.State {
	case taken:
		return refused(fmt.Errorf(
			"%s already uses names that a %s schema needs: %s. Nothing was changed: choose another database",
			j.Target(), j.Workload.Title, strings.Join(st.strange, "; ")))
	case part:
		return refused(fmt.Errorf(
			"%s holds only part of a %s schema: it has the tables %s, and lacks %s. It is unknown which program created them, so nothing was changed: drop them yourself if they are not needed, or choose another database",
			j.Target(), j.Workload.Title, strings.Join(st.tables, ", "), strings.Join(st.missing, ", ")))
	}
	return nil
}

// RefusedError means that a database contains objects that are not ours, and was not changed.
type RefusedError struct{ error }

// Unwrap returns the error itself.
func (e RefusedError) Unwrap() error { return e.error }

func refused(err error) error { return job.WithExit(job.ExitExists, RefusedError{err}) }

// NothingThere returns the error that there is no schema. If the job needs one, the error says to
// build it.
func NothingThere(j plan.Job) error {
	err := fmt.Errorf("there is no %s schema in %s", j.Workload.Title, j.Target())
	if j.Spec.Action != job.Delete {
		err = fmt.Errorf("%w: build one first", err)
	}
	return job.WithExit(job.ExitMissing, job.WithCause(job.Cause{Kind: job.NoSchema}, err))
}

// halfMadeError returns the error that a build was not finished.
func halfMadeError(j plan.Job) error {
	return job.WithExit(job.ExitExists, job.WithCause(job.Cause{Kind: job.HalfBuilt}, fmt.Errorf(
		"the build of the %s schema in %s was not finished: resume it (sledge build --resume, or buildschema resume), or delete the schema",
		j.Workload.Title, j.Target())))
}

// RequireSchema returns an error unless the schema is complete and usable. It returns the plan with
// the actual names of its tables.
func RequireSchema(ctx context.Context, j plan.Job, s database.Session) (plan.Job, error) {
	j, _, err := FindSchema(ctx, j, s)
	return j, err
}

// FindSchema is like RequireSchema, and also returns the state of the schema.
func FindSchema(ctx context.Context, j plan.Job, s database.Session) (plan.Job, SchemaState, error) {
	st, err := Inspect(ctx, j, s)
	if err != nil {
		return j, st, err
	}
	switch st.State {
	case nothing:
		return j, st, NothingThere(j)
	case halfMade:
		return j, st, halfMadeError(j)
	}
	j.SQL = j.SQL.Renamed(st.Names)
	return j, st, st.Refusal(j)
}

// Keep creates the table in which runs record data, if this run uses it and it does not exist.
func (st *SchemaState) Keep(ctx context.Context, j plan.Job, s database.Session) error {
	keeps := j.Workload.Schema.Keeps
	if keeps == nil || st.kept || !keeps.Wanted(j.Settings) {
		return nil
	}
	if err := j.Schema.Keep(ctx, s, keeps.Table); err != nil {
		return fmt.Errorf("create the table %s, in which runs record their work: %w", keeps.Table.Name, err)
	}
	st.kept = true
	return nil
}

// Look returns the workload's view of the schema.
func (st SchemaState) Look(j plan.Job, s database.Session) workload.Look {
	return workload.Look{
		Session: s, SQL: j.SQL, Options: j.Settings, Kept: st.kept,
		Progress: func(string, int64, int64) {},
	}
}

// Prove creates the table that proves who built the schema, if the workload has one and it does not
// exist.
func Prove(ctx context.Context, j plan.Job, s database.Session) error {
	keeps := j.Workload.Schema.Keeps
	if keeps == nil || !keeps.Proof {
		return nil
	}
	st, err := Inspect(ctx, j, s)
	if err != nil || st.kept {
		return err
	}
	if err := j.Schema.Keep(ctx, s, keeps.Table); err != nil {
		return fmt.Errorf("create the table %s, which proves that Sledge has built the schema: %w", keeps.Table.Name, err)
	}
	return nil
}
