package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/schema"
)

// build creates the schema and fills it, with Pacing.Builders virtual users side
// by side. Whatever moment it is interrupted at, what is missing is known to the
// database itself and the build can be resumed or deleted.
func build(ctx context.Context, p Plan, f *feed) (job.Result, error) {
	if p.Database.Create != nil {
		if err := p.Database.Create(ctx, p.Connection); err != nil {
			return job.Result{}, job.WithExit(job.ExitConnect, err)
		}
	}
	session, err := connect(ctx, p, database.Owner)
	if err != nil {
		return job.Result{}, err
	}
	defer session.Close()
	l, err := openLedger(ctx, p, session)
	if err != nil {
		return job.Result{}, err
	}
	result, err := fill(ctx, p, f, session, l)
	if err != nil {
		err = job.WithExit(exitOfBuild(ctx, p, err), fmt.Errorf(
			"%w\nThe schema in %s is only half built: go on with it by sledge build --resume, or remove it by sledge delete", err, p.target()))
	}
	return result, err
}

func exitOfBuild(ctx context.Context, p Plan, err error) job.Exit {
	switch {
	case ctx.Err() != nil:
		return job.ExitStopped
	case p.Database.Classify(err) == meter.Connection:
		return job.ExitAborted
	default:
		return job.ExitError
	}
}

// fill does the steps of a build that come after its ledger was opened.
func fill(ctx context.Context, p Plan, f *feed, session database.Session, l ledger) (job.Result, error) {
	tables := p.Workload.Tables(p.Settings, p.Seed)
	f.say(1, "Building %s in %s", p.Workload.Identity(p.Settings, p.Seed), p.target())
	if !l.hasSchema {
		if err := createSchema(ctx, p, session, tables); err != nil {
			return job.Result{}, err
		}
	}
	sessions, err := connectBuilders(ctx, p)
	defer closeAll(sessions)
	if err != nil {
		return job.Result{}, err
	}
	loaded, err := load(ctx, p, f, sessions, tables, l)
	result := job.Result{Loaded: loaded}
	if err != nil {
		return result, err
	}
	if err := p.eachStatement(ctx, f, sessions, "indexes"); err != nil {
		return result, err
	}
	for _, step := range []string{"routines", "finish"} {
		if err := p.eachStatement(ctx, f, sessions[:1], step); err != nil {
			return result, err
		}
	}
	if err := session.Exec(ctx, "DROP TABLE "+ledgerTable.Name); err != nil {
		return result, fmt.Errorf("drop the ledger of the build: %w", err)
	}
	f.say(1, "%s SCHEMA COMPLETE", p.Workload.Title)
	return result, nil
}

// createSchema makes the tables, after dropping those that an interrupted build
// may have got to, which hold nothing yet.
func createSchema(ctx context.Context, p Plan, session database.Session, tables []schema.Table) error {
	if p.Resume {
		if err := dropTables(ctx, p, session); err != nil {
			return err
		}
	}
	statements, err := p.SQL.Script("schema", p)
	if err != nil {
		return err
	}
	if !p.SQL.Has("schema") {
		for _, t := range tables {
			statements = append(statements, createTable(p.Database.Dialect, t))
		}
	}
	for _, s := range statements {
		if err := session.Exec(ctx, s); err != nil {
			return fmt.Errorf("create the schema: %w", err)
		}
	}
	return writeLedger(ctx, session, "schema", schemaLine)
}

func createTable(d database.Dialect, t schema.Table) string {
	var lines []string
	var after string
	for _, c := range t.Columns {
		line := c.Name + " " + d.Type(c)
		if !c.Null {
			line += " NOT NULL"
		}
		lines = append(lines, line)
	}
	if len(t.Key) > 0 {
		lines = append(lines, "PRIMARY KEY ("+strings.Join(t.Key, ", ")+")")
		after = d.KeyedTable
	}
	return fmt.Sprintf("CREATE TABLE %s (\n\t%s\n)%s", t.Name, strings.Join(lines, ",\n\t"), after)
}

func connectBuilders(ctx context.Context, p Plan) ([]database.Session, error) {
	sessions := make([]database.Session, max(p.Pacing.Builders, 1))
	group, ctx := errgroup.WithContext(ctx)
	for i := range sessions {
		group.Go(func() (err error) {
			sessions[i], err = connect(ctx, p, database.Owner)
			return err
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

// piece is one chunk of one table, the unit that builders take.
type piece struct {
	table int
	chunk int
}

// load fills the tables with the chunks that the ledger does not have.
func load(ctx context.Context, p Plan, f *feed, sessions []database.Session, tables []schema.Table, l ledger) ([]job.Loaded, error) {
	progress := newLoadProgress(tables, l)
	stop := progress.report(f)
	defer stop()
	pieces := make(chan piece)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(pieces)
		for t, table := range tables {
			for c := range table.Chunks {
				if l.loaded[table.Name][c] {
					continue
				}
				select {
				case pieces <- piece{t, c}:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	for _, s := range sessions {
		group.Go(func() error {
			for next := range pieces {
				if err := p.loadPiece(ctx, s, tables[next.table], next.chunk, progress.table(next.table)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return progress.loaded(), err
}

// loadPiece loads a chunk, again and again while it fails in a way that may
// pass, as when builders wait for each other on a database that takes one writer.
func (p Plan) loadPiece(ctx context.Context, s database.Session, t schema.Table, chunk int, count *tableProgress) error {
	start := time.Now()
	defer func() { count.nanos.Add(int64(time.Since(start))) }()
	const tries = 20
	for try := 1; ; try++ {
		rows := &countedRows{source: t.Rows(chunk), count: count}
		err := loadOnce(ctx, s, t, chunk, rows)
		if err == nil {
			rows.flush()
			return nil
		}
		if try == tries || ctx.Err() != nil || !p.Database.Classify(err).Retryable() {
			return fmt.Errorf("load %s, chunk %d: %w", t.Name, chunk, err)
		}
		rows.undo()
	}
}

// loadOnce loads a chunk and notes it in the ledger, both or neither.
func loadOnce(ctx context.Context, s database.Session, t schema.Table, chunk int, rows schema.RowSource) error {
	if err := s.Begin(ctx, database.ReadWrite); err != nil {
		return err
	}
	_, err := s.Load(ctx, t, rows)
	if err == nil {
		err = writeLedger(ctx, s, t.Name, chunk)
	}
	if err == nil {
		err = s.Commit(ctx)
	}
	if err != nil {
		// The context may be what ended the load: the rollback must not fail for it. If
		// it fails all the same the connection is gone, and the transaction with it.
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = s.Rollback(short)
	}
	return err
}

// eachStatement runs the statements of a script, side by side where there are
// several sessions. A script that the pair does not have has no statements.
func (p Plan) eachStatement(ctx context.Context, f *feed, sessions []database.Session, script string) error {
	statements, err := p.SQL.Script(script, p)
	if err != nil || len(statements) == 0 {
		return err
	}
	total := int64(len(statements))
	f.send(job.Event{Progress: &job.Progress{Step: script, Total: total, Unit: "statements"}})
	var next, done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range sessions {
		group.Go(func() error {
			for {
				i := next.Add(1) - 1
				if i >= total {
					return nil
				}
				if err := s.Exec(ctx, statements[i]); err != nil {
					return fmt.Errorf("%s: %w", script, err)
				}
				f.send(job.Event{Progress: &job.Progress{Step: script, Done: done.Add(1), Total: total, Unit: "statements"}})
			}
		})
	}
	return group.Wait()
}

// tableProgress counts what builders have put into one table.
type tableProgress struct {
	name               string
	rows, bytes, nanos atomic.Int64
}

// loadProgress counts what builders have loaded, for those who watch.
type loadProgress struct {
	tables []*tableProgress
	total  int64 // rows, about
}

func newLoadProgress(tables []schema.Table, l ledger) *loadProgress {
	p := &loadProgress{}
	for _, t := range tables {
		p.tables = append(p.tables, &tableProgress{name: t.Name})
		if t.Chunks > 0 {
			p.total += t.Size * int64(t.Chunks-len(l.loaded[t.Name])) / int64(t.Chunks)
		}
	}
	return p
}

func (p *loadProgress) table(i int) *tableProgress { return p.tables[i] }

func (p *loadProgress) now() job.Progress {
	now := job.Progress{Step: "load", Total: p.total, Unit: "rows"}
	for _, t := range p.tables {
		now.Done += t.rows.Load()
		now.DoneBytes += t.bytes.Load()
	}
	return now
}

// report sends the progress twice a second until stop is called.
func (p *loadProgress) report(f *feed) (stop func()) {
	quit := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				now := p.now()
				f.send(job.Event{Progress: &now})
			case <-quit:
				now := p.now()
				f.send(job.Event{Progress: &now})
				return
			}
		}
	})
	return func() { close(quit); reporting.Wait() }
}

func (p *loadProgress) loaded() []job.Loaded {
	var list []job.Loaded
	for _, t := range p.tables {
		list = append(list, job.Loaded{
			Table: t.name, Rows: t.rows.Load(), Bytes: t.bytes.Load(),
			Seconds: time.Duration(t.nanos.Load()).Seconds(),
		})
	}
	return list
}

// countedRows counts rows as they are made, and tells the table's progress now
// and then, because builders of the same table share that.
type countedRows struct {
	source      schema.RowSource
	count       *tableProgress
	rows, bytes int64 // not told yet
	told        struct{ rows, bytes int64 }
}

func (c *countedRows) AppendRow(buf []byte) ([]byte, bool) {
	row, more := c.source.AppendRow(buf)
	if more {
		c.rows++
		c.bytes += int64(len(row) - len(buf))
		if c.rows == 512 {
			c.flush()
		}
	}
	return row, more
}

func (c *countedRows) flush() {
	c.count.rows.Add(c.rows)
	c.count.bytes.Add(c.bytes)
	c.told.rows += c.rows
	c.told.bytes += c.bytes
	c.rows, c.bytes = 0, 0
}

// undo takes back what was told of a chunk that did not get in.
func (c *countedRows) undo() {
	c.count.rows.Add(-c.told.rows)
	c.count.bytes.Add(-c.told.bytes)
}
