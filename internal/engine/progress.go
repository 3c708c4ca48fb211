package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/target"
	"sledge/internal/job"
	"sledge/internal/schema"
)

// tableProgress counts the rows that builders have loaded into a table.
type tableProgress struct {
	rows, bytes, nanos atomic.Int64
}

// loadProgress counts the rows that builders have loaded, for watchers.
type loadProgress struct {
	tables     []*tableBuild
	total      int64 // approximate number of rows
	statements       // running statements other than loads
}

func newLoadProgress(tables []schema.Table, l target.BuildLog) *loadProgress {
	p := &loadProgress{}
	for _, t := range tables {
		building := &tableBuild{Table: t}
		missing := int64(t.Chunks - len(l.Loaded[t.Name]))
		building.missing.Store(missing)
		p.tables = append(p.tables, building)
		if t.Chunks > 0 {
			building.toLoad = t.Size * missing / int64(t.Chunks)
			p.total += building.toLoad
		}
	}
	return p
}

func (p *loadProgress) now() job.Progress {
	now := job.Progress{Step: "load", Total: p.total, Unit: "rows"}
	for _, t := range p.tables {
		rows := t.progress.rows.Load()
		now.Done += rows
		now.DoneBytes += t.progress.bytes.Load()
		now.Tables = append(now.Tables, job.TableProgress{Table: t.Name, Done: rows, Total: t.toLoad, Ready: t.missing.Load() == 0})
	}
	now.Detail = p.String()
	return now
}

// stepProgress counts the finished statements of a step after the load.
type stepProgress struct {
	name, unit string
	each       int64 // the count of a statement for all tables together
	total      int64
	done       atomic.Int64
	statements
}

// newStepProgress returns a progress in rows if tables have statements of their own, because the
// other statements then take little time. Otherwise the progress is in statements.
func newStepProgress(step string, statements []string, shares []share) *stepProgress {
	if len(shares) == 0 {
		return &stepProgress{name: step, unit: "statements", each: 1, total: int64(len(statements))}
	}
	p := &stepProgress{name: step, unit: "rows"}
	for _, s := range shares {
		p.total += s.table.Size * int64(len(s.statements))
	}
	return p
}

// exec runs a statement and counts it.
func (p *stepProgress) exec(ctx context.Context, s database.Session, statement string, what doing, counts int64) error {
	defer p.begin(what)()
	err := s.Exec(ctx, statement)
	if err == nil {
		p.done.Add(counts)
	}
	return err
}

func (p *stepProgress) now() job.Progress {
	return job.Progress{Step: p.name, Detail: p.String(), Done: p.done.Load(), Total: p.total, Unit: p.unit}
}

// report emits the progress twice a second until stop is called.
func report(f *feed.Feed, progress func() job.Progress) (stop func()) {
	quit := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				now := progress()
				f.Send(job.Event{Progress: &now})
			case <-quit:
				now := progress()
				f.Send(job.Event{Progress: &now})
				return
			}
		}
	})
	return func() { close(quit); reporting.Wait() }
}

func (p *loadProgress) loaded() []job.TableLoad {
	var list []job.TableLoad
	for _, t := range p.tables {
		list = append(list, job.TableLoad{
			Table: t.Name, Rows: t.progress.rows.Load(), Bytes: t.progress.bytes.Load(),
			Seconds: time.Duration(t.progress.nanos.Load()).Seconds(),
		})
	}
	return list
}

// countedRows counts rows as they are generated. It updates the table's progress once per 512 rows,
// because all builders of the table share that progress.
type countedRows struct {
	source      schema.RowSource
	count       *tableProgress
	rows, bytes int64 // not added to the progress yet
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

// undo removes a chunk that was not loaded from the progress.
func (c *countedRows) undo() {
	c.count.rows.Add(-c.told.rows)
	c.count.bytes.Add(-c.told.bytes)
}
