package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
)

// Deletion describes what a delete removes and what it leaves.
type Deletion struct {
	Tables   []string              // tables of the workload, and the build log
	Routines []string              // in the form that DROP accepts
	Around   []database.DropResult // what happens to the database and the account
	Builder  string                // the other program that built the schema; "" if none is known
}

// ByBuilder describes the consequences of a schema that another program built.
func (d Deletion) ByBuilder() string {
	return fmt.Sprintf("%s built this schema and does not record what it created, so the database and the account around the schema are dropped as %[1]s does, if they contain nothing else", d.Builder)
}

// RoutineNames lists the names of the routines without their parameters.
func (d Deletion) RoutineNames() (names []string) {
	for _, signature := range d.Routines {
		name, _, _ := strings.Cut(signature, "(")
		names = append(names, strings.Trim(name, "`"))
	}
	return names
}

// PlanDeletion returns what a delete would remove, and changes nothing. It returns an error if the
// delete would be refused.
func PlanDeletion(ctx context.Context, j plan.Job) (Deletion, error) {
	d, disposal, err := findDeletion(ctx, j)
	if err != nil {
		return d, err
	}
	disposal.Dry = true
	if d.Around, err = dropAround(ctx, j, disposal); err != nil {
		return d, job.WithExit(target.ExitOfConnect(err), fmt.Errorf("nothing was dropped: %w", err))
	}
	if disposal.Leftover && !d.any() {
		err = target.NothingThere(j)
		for _, fate := range d.Around {
			err = fmt.Errorf("%w; the %s %s, which a build created, stays: %s", err, fate.Kind, fate.Name, fate.Stays)
		}
		return d, err
	}
	return d, nil
}

// findDeletion finds the parts of the schema to drop, and the options for dropping the database and
// the account around it.
func findDeletion(ctx context.Context, j plan.Job) (d Deletion, rest database.DropOptions, err error) {
	session, err := target.ConnectSteady(ctx, j)
	if err != nil {
		return d, rest, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	d, rest.Others, err = deletable(ctx, j, session)
	rest.Leftover, rest.Builder = len(d.Tables) == 0, d.Builder
	return d, rest, err
}

// any reports whether anything around the schema will be dropped.
func (d Deletion) any() bool {
	return slices.ContainsFunc(d.Around, func(f database.DropResult) bool { return f.Stays == "" })
}

// dropAround drops the database and the account around the schema if they contain nothing else, or
// with Dry only returns what would happen to them.
func dropAround(ctx context.Context, j plan.Job, d database.DropOptions) ([]database.DropResult, error) {
	if j.Database.Container.Drop == nil {
		return nil, nil
	}
	list, err := j.Database.Container.Drop(ctx, j.Connection, d)
	job.Limit(&list)
	return list, err
}

// deletable finds the schema. It returns the tables to drop and descriptions of other objects in
// the database. It returns an error if an object is not proven to belong to a schema, or if other
// objects depend on the schema. If there is no schema, it returns no tables.
func deletable(ctx context.Context, j plan.Job, session database.Session) (d Deletion, others []string, err error) {
	st, err := target.Inspect(ctx, j, session)
	if err == nil {
		err = errors.Join(st.Refusal(j), st.Unproven(j))
	}
	if err != nil {
		return d, nil, err
	}
	d.Tables = st.OwnTables(j)
	// A database that answers queries from a copy of all rows takes long, and has no database or
	// account around a schema.
	if st.State == target.Whole && j.Workload.Schema.BuiltBy != nil && j.Schema.Foresee == nil {
		if d.Builder, err = j.Workload.Schema.BuiltBy(ctx, session, j.SQL.Renamed(st.Names)); err != nil {
			return d, nil, err
		}
	}
	routines, err := target.FindRoutines(ctx, j, session)
	if err != nil {
		return d, nil, err
	}
	d.Routines = routines.Own
	objects, err := target.FindObjects(ctx, j, session)
	if err != nil {
		return d, nil, err
	}
	others, upon := target.ForeignObjects(d.Tables, d.Routines, objects)
	if len(upon) > 0 {
		return d, others, job.WithExit(job.ExitExists, fmt.Errorf(
			"other objects depend on the %s schema in %s: %s. Nothing was dropped: drop those objects first, if they are not needed",
			j.Workload.Title, j.Target(), target.Listed(upon, 10)))
	}
	return d, others, nil
}

// remove drops the schema, and then the database and the account around it if they contain nothing
// else.
func remove(ctx context.Context, j plan.Job, f *feed.Feed) (job.Result, error) {
	plan, err := PlanDeletion(ctx, j)
	if err != nil {
		return job.Result{}, err
	}
	var rest database.DropOptions
	if len(plan.Tables) > 0 {
		if plan, rest.Others, err = dropSchema(ctx, j, f); err != nil {
			return job.Result{}, err
		}
		rest.Builder = plan.Builder
		deleted := j.StepOf(job.StepDelete)
		deleted.Stage = job.Ends
		f.Step(job.Monitor, deleted)
	}
	if len(plan.Tables) == 0 { // search again, because another job may have added objects
		if plan, rest, err = findDeletion(ctx, j); err != nil {
			return job.Result{}, err
		}
	}
	plan.Around, err = dropAround(ctx, j, rest)
	for _, fate := range plan.Around {
		if fate.Stays == "" {
			f.Step(job.Monitor, job.Step{Name: job.StepDrop, Kind: fate.Kind, Of: fate.Name, Stage: job.Ends})
		}
	}
	if plan.Builder != "" {
		f.Message(job.Monitor, "%s", plan.ByBuilder())
	}
	if dropped := plan.dropped(); dropped != "" {
		f.Message(job.Monitor, "Dropped %s", dropped)
	}
	for _, fate := range plan.Around {
		if fate.Stays != "" {
			f.Message(job.Monitor, "The %s %s stays: %s", fate.Kind, fate.Name, fate.Stays)
		}
	}
	if err != nil {
		return job.Result{}, fmt.Errorf("the schema is dropped, but not the database and the account around it: %w", err)
	}
	return job.Result{}, nil
}

// dropped describes what was dropped.
func (d Deletion) dropped() string {
	var what []string
	if n := len(d.Tables); n > 0 {
		what = append(what, fmt.Sprintf("the tables %s", strings.Join(d.Tables, ", ")))
	}
	if n := len(d.Routines); n > 0 {
		what = append(what, fmt.Sprintf("%d routines", n))
	}
	for _, fate := range d.Around {
		if fate.Stays == "" {
			what = append(what, fmt.Sprintf("the %s %s", fate.Kind, fate.Name))
		}
	}
	return strings.Join(what, ", ")
}

// dropSchema searches again and drops the objects that are proven to be ours, in one transaction if
// the database supports that. It returns what it dropped and the objects that are left.
func dropSchema(ctx context.Context, j plan.Job, f *feed.Feed) (d Deletion, others []string, err error) {
	held, release, err := target.Claim(ctx, j, f)
	if err != nil {
		return d, nil, err
	}
	defer func() { err = errors.Join(target.LostClaim(ctx, held, err), release()) }()
	session, err := target.ConnectSteady(ctx, j)
	if err != nil {
		return d, nil, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if err := target.SayServer(ctx, j, session, f); err != nil {
		return d, nil, err
	}
	if err := session.Begin(ctx, database.ReadWrite); err != nil {
		return d, nil, fmt.Errorf("begin to drop the schema: %w", err)
	}
	d, _, err = deletable(ctx, j, session)
	if err == nil && len(d.Tables) == 0 {
		err = target.NothingThere(j) // another delete was faster
	}
	if err == nil {
		err = drop(held, j, session, d)
	}
	if err == nil {
		err = session.Commit(held)
	}
	if err != nil {
		target.Rollback(ctx, session)
		return d, nil, err
	}
	// Search last for the objects that are left, because other jobs may have changed them.
	objects, err := target.FindObjects(ctx, j, session)
	others, _ = target.ForeignObjects(nil, nil, objects)
	return d, others, err
}

// drop drops tables and routines that are proven to be ours.
func drop(ctx context.Context, j plan.Job, session database.Session, d Deletion) error {
	if err := j.Schema.Drop(ctx, session, d.Tables, d.Routines); err != nil {
		return fmt.Errorf("drop the schema: %w", err)
	}
	return nil
}
