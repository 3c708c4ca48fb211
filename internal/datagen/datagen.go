// Package datagen writes the initial rows of a workload into flat files, with the
// scripts by which the database's own programs make the tables, load the files and
// finish the schema. Equal options and seed give the rows that a build loads. It
// knows no workload and no database by name, and opens no connection.
package datagen

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/schema"
)

// Config says what is to be written, and where to.
type Config struct {
	Plan    engine.Plan // database, workload, options and seed; its session settings do not matter
	Folder  string      // made if only its last part is missing
	Workers int         // side by side, each with its own range of units; 1 if less

	Compress  bool // by gzip
	Overwrite bool // replaces what an earlier generation left in the folder

	// Tell is told, as steps, what virtual user 1, who makes the shared tables and
	// watches, and those after it, who are the workers, begin with; a single worker is
	// user 1 itself. Twice a second it is told how far all have come. It is called from
	// several goroutines, and may be nil.
	Tell func(job.Event)
}

// Result is what was written.
type Result struct {
	Files   []File
	Scripts Scripts
	Elapsed time.Duration
}

// File is one file of rows.
type File struct {
	Name   string // within the folder
	Table  string
	Rows   int64
	Bytes  int64 // of rows
	Stored int64 // on the disk, which is less when they are compressed
}

// Totals adds up the rows, their sizes, and the sizes of the files they are in.
func (r Result) Totals() (rows, size, stored int64) {
	for _, f := range r.Files {
		rows += f.Rows
		size += f.Bytes
		stored += f.Stored
	}
	return rows, size, stored
}

// ExistsError says that a file is in the way of one that would be written.
type ExistsError struct{ File string }

// Error implements error.
func (e ExistsError) Error() string { return fmt.Sprintf("file %s already exists", e.File) }

// MaxWorkers is how many workers may be asked for.
const MaxWorkers = 1024

// monitor is the position of the virtual user who watches the workers.
const monitor = 1

// Generate writes the files. They get their names only when all of them are
// whole: whatever ends it before leaves none behind.
func Generate(ctx context.Context, c Config) (Result, error) {
	began := time.Now()
	c.Workers = max(c.Workers, 1)
	g, err := newGeneration(c)
	if err != nil {
		return Result{}, job.WithExit(job.ExitUsage, err)
	}
	if g.stage, err = openStage(c.Folder, g.tableNames(), g.scripts().names(), c.Overwrite); err != nil {
		return Result{}, err
	}
	if err := errors.Join(g.fill(ctx), g.stage.close()); err != nil {
		return Result{}, g.explain(ctx, err)
	}
	elapsed := time.Since(began)
	g.tell(monitor, job.Step{Name: job.StepGenerate, Stage: job.Ends, Count: int64(c.Plan.Workload.DataFiles.Units(c.Plan.Settings)), Seconds: elapsed.Seconds()})
	return Result{Files: g.files(), Scripts: g.scripts(), Elapsed: elapsed}, nil
}

// fill writes all there is to be in the folder, and puts it there.
func (g *generation) fill(ctx context.Context) error {
	if err := g.write(ctx); err != nil {
		return err
	}
	if err := g.writeScripts(g.files()); err != nil {
		return err
	}
	return g.stage.publish()
}

// generation is one call of Generate.
type generation struct {
	Config
	tables []schema.Table
	parts  []part
	stage  *stage

	total       int64 // rows, about
	rows, bytes atomic.Int64
	completed   atomic.Int64 // workers
}

func newGeneration(c Config) (*generation, error) {
	w := c.Plan.Workload
	if w.DataFiles == nil {
		return nil, fmt.Errorf("%s has no data files: use sledge build", w.Title)
	}
	g := &generation{Config: c, tables: w.Tables(c.Plan.Settings, c.Plan.Seed)}
	units := w.DataFiles.Units(c.Plan.Settings)
	if c.Workers > MaxWorkers {
		return nil, fmt.Errorf("%d workers are more than the %d that there may be", c.Workers, MaxWorkers)
	}
	if c.Workers > units {
		return nil, fmt.Errorf("%d workers are more than the %d %s: each needs one of its own", c.Workers, units, w.Size.Unit)
	}
	g.parts = divide(g.tables, w.DataFiles.Shared, units, c.Workers)
	for _, t := range g.tables {
		g.total += t.Size
	}
	return g, nil
}

func (g *generation) tableNames() []string {
	var names []string
	for _, t := range g.tables {
		names = append(names, t.Name)
	}
	return names
}

func (g *generation) tell(user int, step job.Step) {
	if g.Tell != nil {
		g.Tell(job.Event{At: time.Now(), User: user, Step: &step})
	}
}

// user returns the position of the virtual user who is worker n.
func (g *generation) user(worker int) int {
	if g.Workers == 1 {
		return monitor
	}
	return monitor + worker
}

// write has the workers write their parts.
func (g *generation) write(ctx context.Context) error {
	stop := g.watch()
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	// More than keep the cores busy while some wait for the disk would only take
	// memory and open files.
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	for _, worker := range workersOf(g.parts) {
		group.Go(func() error {
			for i := range g.parts {
				if g.parts[i].worker != worker {
					continue
				}
				if err := g.writePart(ctx, &g.parts[i]); err != nil {
					return err
				}
			}
			if worker != sharedWorker {
				g.completed.Add(1)
			}
			return nil
		})
	}
	return group.Wait()
}

// explain makes an error of what ended the writing.
func (g *generation) explain(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return job.WithExit(job.ExitStopped, errors.New("stopped: no file was left behind"))
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: no file was left behind: choose a folder with more room, or compress the files", err)
	}
	return err
}

func (g *generation) files() []File {
	var files []File
	for _, p := range g.parts {
		files = append(files, p.file)
	}
	return files
}

// How often the monitor tells how many workers are done, and how often progress is told.
const (
	tellEvery = 10 * time.Second
	showEvery = 500 * time.Millisecond
)

// watch tells of the workers until stop is called.
func (g *generation) watch() (stop func()) {
	quit := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		tell, show := time.NewTicker(tellEvery), time.NewTicker(showEvery)
		defer tell.Stop()
		defer show.Stop()
		for {
			select {
			case <-tell.C:
				g.tellWorkers()
			case <-show.C:
				g.tellProgress()
			case <-quit:
				g.tellWorkers()
				g.tellProgress()
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}

func (g *generation) tellWorkers() {
	if g.Workers > 1 {
		done := g.completed.Load()
		g.tell(monitor, job.Step{Name: job.StepGenerate, Stage: job.GoesOn, Users: g.Workers, Count: done})
	}
}

func (g *generation) tellProgress() {
	if g.Tell != nil {
		g.Tell(job.Event{At: time.Now(), Progress: &job.Progress{Step: "generate", Done: g.rows.Load(), Total: g.total, Unit: "rows", DoneBytes: g.bytes.Load()}})
	}
}

// fileName names the file of a worker's part of a table.
func fileName(table string, worker int, compressed bool) string {
	name := table + "_" + strconv.Itoa(max(worker, 1)) + extension
	if compressed {
		name += compressedExtension
	}
	return name
}
