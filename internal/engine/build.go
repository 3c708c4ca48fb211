package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
)

// build creates the schema and loads it with the workload's number of virtual users in parallel.
// The build log in the database records the loaded chunks, so an interrupted build can be resumed
// or deleted.
func build(ctx context.Context, j plan.Job, f *feed.Feed) (job.Result, error) {
	if !j.Spec.Resume { // a resumed build takes its settings from the build log first
		tellBuild(j, f)
	}
	held, release, session, err := createAndClaim(ctx, j, f)
	if err != nil {
		return job.Result{}, err
	}
	defer func() { _ = release() }() // if this fails, the claim ends with this process
	defer session.Close()
	if j.Spec.Resume {
		if j, err = resumedPlan(ctx, j, session); err != nil {
			return job.Result{}, err
		}
		if settled := option.Settled(j.Settings); len(settled) > 0 {
			f.Send(job.Event{User: job.Monitor, Settled: settled})
		}
		tellBuild(j, f)
	}
	if err := target.SayServer(ctx, j, session, f); err != nil {
		return job.Result{}, err
	}
	l, err := target.OpenBuildLog(ctx, j, session)
	if _, refuses := errors.AsType[target.RefusedError](err); refuses {
		// Drop the account that this build may have created.
		_ = session.Close()
		_, undone := dropAround(ctx, j, database.DropOptions{Leftover: true, Others: []string{"what is not ours"}})
		return job.Result{}, errors.Join(err, undone)
	}
	if err != nil {
		return job.Result{}, err
	}
	result, err := fill(held, j, f, session, l)
	if err != nil {
		err = target.Interrupted(ctx, job.Build, target.LostClaim(ctx, held, err))
		err = job.WithExit(exitOfBuild(ctx, j, err), fmt.Errorf(
			"%w\nthe schema in %s is only half built: resume the build (sledge build --resume, or buildschema resume), or delete the schema", err, j.Target()))
	}
	return result, err
}

// createAndClaim creates the account and the database, claims the database, and opens a session in
// it. It creates them again if a deletion that was in progress has dropped them before the claim.
func createAndClaim(ctx context.Context, j plan.Job, f *feed.Feed) (held context.Context, release func() error, s database.Session, err error) {
	const tries = 3
	for try := 1; ; try++ {
		creates := j.Database.Container.Create != nil && !j.Spec.Resume // a resumed build has already created them
		if creates {
			waited := j.WaitFor("an answer from %s", j.Target())
			err := j.Database.Container.Create(ctx, j.Connection, f.As(job.Monitor))
			waited()
			if err != nil {
				return nil, nil, nil, job.WithExit(target.ExitOfConnect(err), err)
			}
		}
		held, release, err = target.Claim(ctx, j, f)
		if err == nil {
			if s, err = target.ConnectWorker(ctx, j); err == nil {
				return held, release, s, nil
			}
			_ = release() // if this fails, the claim ends with this process
		}
		if !creates || !errors.Is(err, database.ErrMissing) || try == tries {
			return nil, nil, nil, err
		}
	}
}

// tellBuild emits the first step of a build: the schema, its target and the number of builders.
func tellBuild(j plan.Job, f *feed.Feed) {
	f.Step(job.Monitor, job.Step{
		Name: job.StepBuild, Of: j.Workload.Schema.Identity(j.Settings, j.Spec.Seed), Where: j.Target(), Users: j.Workload.Schema.Builders(j.Settings),
	})
}

// resumedPlan returns the plan of a build that resumes an interrupted one. Values that the spec
// leaves to the time of the build, such as the load time of rows, come from the build log, because
// new rows must match the existing ones.
func resumedPlan(ctx context.Context, j plan.Job, s database.Session) (plan.Job, error) {
	if j.Workload.Schema.Resumed == nil {
		return j, nil
	}
	st, err := target.Inspect(ctx, j, s)
	if err != nil {
		return j, err
	}
	if identity, is := strings.CutPrefix(st.BuildLog.Identity, j.Workload.Name+": "); is {
		j.Settings = j.Workload.Schema.Resumed(j.Settings, identity)
	}
	return j, nil
}

func exitOfBuild(ctx context.Context, j plan.Job, err error) job.Exit {
	switch {
	case ctx.Err() != nil:
		return job.ExitStopped
	case j.Database.Sessions.Classify(err) == meter.Connection:
		return job.ExitAborted
	default:
		return job.ExitError
	}
}

// fill performs the steps of a build after the build log was opened.
func fill(ctx context.Context, j plan.Job, f *feed.Feed, session database.Session, l target.BuildLog) (job.Result, error) {
	tables := j.Workload.Schema.Tables(j.Settings, j.Spec.Seed)
	schema := j.StepOf(job.StepSchema)
	steps := &announcer{job: j, feed: f, said: make(map[job.StepName]bool)}
	if !l.HasSchema {
		f.Step(job.Monitor, schema)
		steps.begins(job.StepTables)
		if err := createSchema(ctx, j, session, l.Tables); err != nil {
			return job.Result{}, err
		}
	}
	sessions, err := connectBuilders(ctx, j)
	defer closeAll(sessions)
	if err != nil {
		return job.Result{}, err
	}
	loaded, err := loadTables(ctx, j, f, steps, sessions, tables, l)
	result := job.Result{SchemaWork: job.SchemaWork{Loaded: loaded}}
	if err != nil {
		return result, err
	}
	for _, step := range plan.AfterLoad {
		if step == "routines" {
			if err := dropRoutines(ctx, j, session); err != nil {
				return result, err
			}
		}
		if err := completeStep(ctx, j, steps, session, sessions, tables, step); err != nil {
			return result, err
		}
	}
	if err := target.Prove(ctx, j, session); err != nil {
		return result, err
	}
	if err := j.Schema.BuildLog.Drop(ctx, session); err != nil {
		return result, fmt.Errorf("drop the build log: %w", err)
	}
	schema.Stage = job.Ends
	f.Step(job.Monitor, schema)
	return result, nil
}

// createSchema creates the tables. First it drops the tables that an interrupted build created,
// which are still empty.
func createSchema(ctx context.Context, j plan.Job, session database.Session, left []string) error {
	if len(left) > 0 {
		if err := drop(ctx, j, session, Deletion{Tables: left}); err != nil {
			return err
		}
	}
	statements, err := j.CreateStatements()
	if err != nil {
		return err
	}
	for _, s := range statements {
		if err := session.Exec(ctx, s); err != nil {
			return fmt.Errorf("create the schema: %s: %w", opening(s), err)
		}
	}
	return target.WriteBuildLog(ctx, j, session, "schema", target.SchemaLine)
}

// dropRoutines drops the schema's routines that an interrupted build, a build with another kind of
// routines, or another program created.
func dropRoutines(ctx context.Context, j plan.Job, session database.Session) error {
	routines, err := target.FindRoutines(ctx, j, session)
	if err == nil && len(routines.Own) > 0 {
		err = drop(ctx, j, session, Deletion{Routines: routines.Own})
	}
	return err
}

func connectBuilders(ctx context.Context, j plan.Job) ([]database.Session, error) {
	sessions := make([]database.Session, max(j.Workload.Schema.Builders(j.Settings), 1))
	group, ctx := errgroup.WithContext(ctx)
	for i := range sessions {
		group.Go(func() error {
			return job.Guarded(func() (err error) {
				sessions[i], err = target.ConnectWorker(ctx, j)
				return err
			})
		})
	}
	return sessions, group.Wait()
}

func closeAll(sessions []database.Session) {
	for _, s := range sessions {
		if s != nil {
			s.Close()
		}
	}
}

// piece is a unit of work for builders: one chunk of one table, or noChunk for a table whose rows
// were all loaded before the build was resumed.
type piece struct {
	table *tableBuild
	chunk int
}

const noChunk = -1

// tableBuild is a table that is being built.
type tableBuild struct {
	schema.Table
	progress tableProgress
	toLoad   int64        // approximate number of rows
	missing  atomic.Int64 // chunks that are not loaded yet
	begun    atomic.Bool
}

// loadTables loads the chunks that are not in the build log. The builder that loads the last chunk
// of a table also creates its indexes and collects its statistics while the others continue to
// load, so no core waits for the end of a phase.
func loadTables(ctx context.Context, j plan.Job, f *feed.Feed, steps *announcer, sessions []database.Session, tables []schema.Table, l target.BuildLog) ([]job.TableLoad, error) {
	progress := newLoadProgress(tables, l)
	stop := report(f, progress.now)
	defer stop()
	pieces := make(chan piece)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(pieces)
		for next := range piecesOf(progress.tables, l) {
			select {
			case pieces <- next:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	working := workers{feed: f, alone: len(sessions) == 1}
	f.Step(job.Monitor, job.Step{Name: job.StepLoad, Users: len(sessions)})
	for i, s := range sessions {
		group.Go(func() error {
			return working.work(i, func(position int) error {
				b := builder{j, s, steps, progress, position}
				f.Step(position, job.Step{Name: job.StepLoad})
				for next := range pieces {
					if err := job.Guarded(func() error { return b.build(ctx, next) }); err != nil {
						return err
					}
				}
				f.Step(position, job.Step{Name: job.StepLoad, Stage: job.Ends})
				return nil
			})
		})
	}
	err := group.Wait()
	return progress.loaded(), err
}

// piecesOf yields the pieces that remain to be built, table by table.
func piecesOf(tables []*tableBuild, l target.BuildLog) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for _, t := range tables {
			if t.missing.Load() == 0 && !yield(piece{t, noChunk}) {
				return
			}
			for c := range t.Chunks {
				if !l.Loaded[t.Name][c] && !yield(piece{t, c}) {
					return
				}
			}
		}
	}
}

// builder is a virtual user of a running build.
type builder struct {
	plan.Job
	session  database.Session
	steps    *announcer
	progress *loadProgress
	position int
}

// build loads a piece, and runs the steps after the last chunk of its table.
func (b builder) build(ctx context.Context, next piece) error {
	t := next.table
	if next.chunk != noChunk {
		if !t.begun.Swap(true) {
			b.steps.feed.Step(b.position, job.Step{Name: job.StepTable, Of: t.Name})
		}
		if err := loadPiece(ctx, b.Job, b.session, t.Table, next.chunk, &t.progress); err != nil {
			return err
		}
		if t.missing.Add(-1) > 0 {
			return nil
		}
		b.steps.feed.Step(b.position, job.Step{Name: job.StepTable, Of: t.Name, Stage: job.Ends})
	}
	for _, step := range plan.WhenLoaded {
		statements, err := b.Schema.Step(step + "." + t.Name)
		if err != nil {
			return err
		}
		if len(statements) > 0 {
			b.steps.begins(stepOf[step])
		}
		for _, statement := range statements {
			done := b.progress.begin(doing{step: step, table: t.Name, rows: t.Size})
			err := b.session.Exec(ctx, statement)
			done()
			if err != nil {
				return fmt.Errorf("%s of %s: %s: %w", step, t.Name, opening(statement), err)
			}
		}
	}
	return nil
}

// loadPiece loads a chunk. It retries after failures that may be temporary, for example when
// builders wait for each other on a database with one writer.
func loadPiece(ctx context.Context, j plan.Job, s database.Session, t schema.Table, chunk int, count *tableProgress) error {
	start := time.Now()
	defer func() { count.nanos.Add(int64(time.Since(start))) }()
	const tries = 20
	for try := 1; ; try++ {
		rows := &countedRows{source: t.Rows(chunk), count: count}
		err := loadOnce(ctx, j, s, t, chunk, rows)
		if err == nil {
			rows.flush()
			return nil
		}
		rows.undo()
		if try == tries || ctx.Err() != nil || !j.Database.Sessions.Classify(err).Retryable() {
			return fmt.Errorf("load %s, chunk %d: %w", t.Name, chunk, err)
		}
	}
}

// loadOnce loads a chunk and records it in the build log, in one transaction.
func loadOnce(ctx context.Context, j plan.Job, s database.Session, t schema.Table, chunk int, rows schema.RowSource) error {
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return err
	}
	_, err := s.Load(ctx, t, rows)
	if err == nil {
		err = target.WriteBuildLog(ctx, j, s, t.Name, chunk)
	}
	if err == nil {
		err = s.Commit(ctx)
	}
	if err != nil {
		target.Rollback(ctx, s)
	}
	return err
}

// share holds one table's statements of a step.
type share struct {
	table      schema.Table
	statements []string
}

// sharesOf lists the tables that have statements in a step that follows the load of all tables. It
// keeps the order of tables, the largest first.
func sharesOf(j plan.Job, step string, tables []schema.Table) ([]share, error) {
	if slices.Contains(plan.WhenLoaded, step) { // builder.build has run them
		return nil, nil
	}
	var list []share
	for _, t := range tables {
		statements, err := j.Schema.Step(step + "." + t.Name)
		if err != nil {
			return nil, err
		}
		if len(statements) > 0 {
			list = append(list, share{t, statements})
		}
	}
	return list, nil
}

// completeStep runs a step that follows the load of all tables. It runs the statements for all
// tables together on one session, and then the statements of each table on all sessions in
// parallel. Either list may be empty.
func completeStep(ctx context.Context, j plan.Job, steps *announcer, session database.Session, sessions []database.Session, tables []schema.Table, step string) error {
	statements, err := j.Schema.Step(step)
	if err != nil {
		return err
	}
	shares, err := sharesOf(j, step, tables)
	if err != nil || len(statements) == 0 && len(shares) == 0 {
		return err
	}
	steps.begins(stepOf[step])
	progress := newStepProgress(step, statements, shares)
	stop := report(steps.feed, progress.now)
	defer stop()
	for n, statement := range statements {
		what := fmt.Sprintf("statement %d of %d", n+1, len(statements))
		if err := progress.exec(ctx, session, statement, doing{step: what}, progress.each); err != nil {
			return fmt.Errorf("%s: %s: %w", step, opening(statement), err)
		}
	}
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range sessions {
		group.Go(func() error {
			return job.Guarded(func() error {
				for n := int(next.Add(1)) - 1; n < len(shares); n = int(next.Add(1)) - 1 {
					t := shares[n].table
					for _, statement := range shares[n].statements {
						if err := progress.exec(ctx, s, statement, doing{step: step, table: t.Name, rows: t.Size}, t.Size); err != nil {
							return fmt.Errorf("%s of %s: %s: %w", step, t.Name, opening(statement), err)
						}
					}
				}
				return nil
			})
		})
	}
	return group.Wait()
}

// opening returns the part of a failed statement that identifies it: its first line after comments,
// up to the name of the object that it creates.
func opening(statement string) string {
	const most = 60 // characters
	for line := range strings.Lines(statement) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		if r := []rune(line); len(r) > most {
			line = string(r[:most])
		}
		return line + " ..."
	}
	return "a statement"
}
