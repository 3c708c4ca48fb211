// Package datagen writes the initial rows of a workload to flat files, with scripts for the
// database's own programs, which create the tables, load the files and finish the schema. Equal
// options and seed give the rows of a build. It does not know workloads or databases by name, and
// opens no connection.
package datagen

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/engine/plan"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/schema"
)

// Config describes the files to write.
type Config struct {
	Plan    plan.Plan // database, workload, options and seed; its session settings do not matter
	Folder  string    // created if its parent exists
	Workers int       // number of workers that write in parallel; at least 1
	Parts   int       // files for each table, each with the same number of units; 0 means one for each worker; a shared table has one file
	Version string    // Sledge's, for the manifest

	Format      Format      // Tbl if ""
	Header      bool        // write the names of the columns in the first line of CSV files
	Compression Compression // "" is the default of the format
	Overwrite   bool        // replace the files of an earlier generation in the folder
	NoScripts   bool        // write no scripts: the plan's database is arbitrary

	// Tell receives the steps of the virtual users. User 1 writes the shared tables and monitors
	// the other users, which are the workers; a single worker is user 1 itself. Twice a second Tell
	// receives the total progress. It is called from several goroutines and may be nil.
	Tell func(job.Event)
}

// Result lists what was written.
type Result struct {
	Files   []File
	Scripts Scripts
	Elapsed time.Duration
}

// File is one file of rows.
type File struct {
	Name     string `json:"name"` // within the folder
	Table    string `json:"table"`
	Part     int    `json:"part"`      // number of the part of the table, from 1
	Parts    int    `json:"parts"`     // number of parts of the table
	FirstRow int64  `json:"first_row"` // its first row's number within the table, from 1
	Rows     int64  `json:"rows"`
	Bytes    int64  `json:"text_bytes"`    // size before compression; for a Parquet file, of the values before encoding
	Stored   int64  `json:"bytes"`         // size on disk
	SHA256   string `json:"sha256"`        // of the file
	MD5      string `json:"md5,omitempty"` // of the file before compression; "" for Parquet, which compresses internally
}

// Totals adds up the rows, their sizes, and the sizes of their files.
func (r Result) Totals() (rows, size, stored int64) {
	for _, f := range r.Files {
		rows += f.Rows
		size += f.Bytes
		stored += f.Stored
	}
	return rows, size, stored
}

// ExistsError means that the generation would overwrite an existing file.
type ExistsError struct{ File string }

// Error implements error.
func (e ExistsError) Error() string { return fmt.Sprintf("file %s already exists", e.File) }

// The limits of the numbers of workers and of a table's parts.
const (
	MaxWorkers = 1024
	MaxParts   = 100_000
)

// monitor is the position of the virtual user that watches the workers.
const monitor = 1

// Generate writes the files. It moves them into the folder only when all are complete; if it fails
// or is stopped before, it leaves no files behind.
func Generate(ctx context.Context, c Config) (Result, error) {
	began := time.Now()
	g, err := newGeneration(c)
	if err != nil {
		return Result{}, withUsage(err)
	}
	if err := g.claim(); err != nil {
		return Result{}, err
	}
	return g.generate(ctx, began)
}

// claim claims the folder. It refuses one that already has files.
func (g *generation) claim() (err error) {
	g.stage, err = openStage(g.Folder, g.tableNames(), g.fileNames(), g.Overwrite)
	return err
}

// generate writes the files to the claimed folder.
func (g *generation) generate(ctx context.Context, began time.Time) (Result, error) {
	failed, left := g.fill(ctx, began), g.stage.close()
	switch {
	case failed != nil && left == nil:
		return Result{}, explain(ctx, failed)
	case failed != nil || left != nil:
		return Result{}, errors.Join(failed, left)
	}
	elapsed := time.Since(began)
	g.tell(monitor, job.Step{Name: job.StepGenerate, Stage: job.Ends, Of: g.size(), Seconds: elapsed.Seconds()})
	return Result{Files: g.files(), Scripts: g.scripts(), Elapsed: elapsed}, nil
}

// fill writes all files of the folder.
func (g *generation) fill(ctx context.Context, began time.Time) error {
	if err := g.write(ctx); err != nil {
		return err
	}
	if err := g.writeScripts(g.files()); err != nil {
		return err
	}
	if err := g.writeManifest(began); err != nil {
		return err
	}
	return g.stage.publish()
}

// generation is one call of Generate.
type generation struct {
	Config
	tables []schema.Table
	parts  []*part
	stage  *stage

	total       int64 // rows, about
	rows, bytes atomic.Int64
	ofTables    map[string]*tableCount
	completed   atomic.Int64 // workers
}

func newGeneration(c Config) (*generation, error) {
	w := c.Plan.Workload
	if w.Schema.DataFiles == nil {
		return nil, fmt.Errorf("%s has no data files: use sledge build", w.Title)
	}
	if err := c.settle(); err != nil {
		return nil, err
	}
	g := &generation{Config: c, ofTables: map[string]*tableCount{}, tables: w.Schema.Tables(c.Plan.Settings, c.Plan.Spec.Seed)}
	g.parts = c.divide(g.tables)
	for _, t := range g.tables {
		g.total += t.Size
		g.ofTables[t.Name] = &tableCount{}
	}
	for _, p := range g.parts {
		g.ofTables[p.table.Name].parts++
	}
	return g, nil
}

// tableCount counts the written part of a table.
type tableCount struct {
	parts   int64 // files
	rows    atomic.Int64
	written atomic.Int64 // files whose parts are complete
}

// size returns the value of the workload's option for the amount of data.
func (g *generation) size() string {
	for _, o := range option.Describe(g.Plan.Settings) {
		if o.Name == g.Plan.Workload.Schema.Size.Option {
			return o.Default // for a bound struct, its value after binding
		}
	}
	return ""
}

func (g *generation) tableNames() []string {
	var names []string
	for _, t := range g.tables {
		names = append(names, t.Name)
	}
	return names
}

// fileNames lists all files that will be written.
func (g *generation) fileNames() []string {
	names := []string{ManifestName}
	for _, p := range g.parts {
		names = append(names, g.fileName(p))
	}
	return append(names, g.scripts().names()...)
}

func (g *generation) tell(user int, step job.Step) {
	if g.Tell != nil {
		g.Tell(job.Event{At: time.Now(), User: user, Step: &step})
	}
}

// user returns the position of a worker.
func (g *generation) user(worker int) int {
	if g.Workers == 1 || worker == sharedWorker {
		return monitor
	}
	return monitor + worker
}

// write makes the workers write the parts.
func (g *generation) write(ctx context.Context) error {
	stop := g.watch()
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	// Twice as many workers as cores keep the cores busy while some wait for the disk. More workers
	// would only use memory and open files.
	group.SetLimit(2 * host.Cores())
	queue := queue{parts: slices.Clone(g.parts)}
	for _, worker := range g.workers(g.parts) {
		group.Go(func() error {
			for p := queue.next(worker); p != nil; p = queue.next(worker) {
				if err := g.writePart(ctx, p, g.user(worker)); err != nil {
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

// explain adds the consequence and advice to an error that ended the writing.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return job.WithExit(job.ExitStopped, errors.New("stopped: no file was left behind"))
	}
	for _, known := range []struct {
		causes []error
		advice string
	}{
		{[]error{syscall.ENOSPC, syscall.EDQUOT}, "choose a folder with more room, or compress the files"},
		{[]error{syscall.EFBIG}, "write more parts, raise the limit of a file's size (ulimit -f), or choose a folder on another file system"},
		{[]error{fs.ErrNotExist, syscall.ESTALE}, "the folder was removed or renamed meanwhile: generate the files again"},
		{[]error{syscall.EROFS, syscall.EIO}, "the disk has a problem: look at the system's log, or choose a folder on another one"},
	} {
		if slices.ContainsFunc(known.causes, func(cause error) bool { return errors.Is(err, cause) }) {
			return fmt.Errorf("%w: no file was left behind: %s", err, known.advice)
		}
	}
	return err
}

// files lists the written files and computes the first row of each part. These are unknown before,
// because a workload may divide tables by other units than rows.
func (g *generation) files() []File {
	var files []File
	first := map[string]int64{}
	for _, p := range g.parts {
		f := p.file
		f.FirstRow = first[f.Table] + 1
		first[f.Table] += f.Rows
		files = append(files, f)
	}
	return files
}

// How often the monitor reports finished workers, and how often progress is reported.
const (
	tellEvery = 10 * time.Second
	showEvery = 500 * time.Millisecond
)

// watch reports the workers until stop is called.
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
	if g.Tell == nil {
		return
	}
	p := job.Progress{Step: "generate", Done: g.rows.Load(), Total: g.total, Unit: "rows", DoneBytes: g.bytes.Load()}
	for _, t := range g.tables {
		count := g.ofTables[t.Name]
		p.Tables = append(p.Tables, job.TableProgress{Table: t.Name, Done: count.rows.Load(), Total: t.Size, Ready: count.written.Load() == count.parts})
	}
	g.Tell(job.Event{At: time.Now(), Progress: &p})
}
