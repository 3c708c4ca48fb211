package datagen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"sledge/internal/control/tasks"
	"sledge/internal/job"
	"sledge/internal/live"
)

// MaxTasks limits the tasks that run at once.
const MaxTasks = 4

// mostNamed limits the differing files that a report names.
const mostNamed = 100

// Kind is the kind of a task.
type Kind string

// The kinds of tasks.
const (
	OfGenerate Kind = "generate"
	OfVerify   Kind = "verify"
)

// Report is the state of a task.
type Report struct {
	ID      string       `json:"id"`
	Kind    Kind         `json:"kind" enum:"generate,verify"`
	Folder  string       `json:"folder" doc:"On the server's machine."`
	Status  tasks.Status `json:"status" enum:"running,done,failed,stopped"`
	Reason  string       `json:"reason,omitempty" doc:"Why it failed."`
	Begun   time.Time    `json:"begun"`
	Ended   *time.Time   `json:"ended,omitempty"`
	Elapsed float64      `json:"elapsed_seconds"`

	Progress *live.Progress `json:"progress,omitempty"`

	// Written summarizes the manifest: a generation's when it is done, or the one that a comparison
	// reads.
	Written *Written `json:"written,omitempty"`

	Differences []Difference `json:"differences,omitempty" doc:"The files that differ from the manifest, at most 100."`
	Differing   int          `json:"differing,omitempty" doc:"How many differ."`
}

// Written summarizes all files of a manifest.
type Written struct {
	Workload    string      `json:"workload" doc:"Its name."`
	Source      string      `json:"source" doc:"What determines the rows, in words."`
	Format      Format      `json:"format"`
	Compression Compression `json:"compression"`
	Files       int         `json:"files"`
	Rows        int64       `json:"rows"`
	TextBytes   int64       `json:"text_bytes" doc:"Size of the rows as text."`
	Bytes       int64       `json:"bytes" doc:"Of the files."`
	Scripts     []string    `json:"scripts,omitempty" doc:"Scripts that load the files, to run in the folder in this order."`
}

// writtenOf summarizes a manifest.
func writtenOf(m Manifest, scripts []string) *Written {
	w := &Written{Workload: m.Workload, Source: m.Rows, Format: m.Format, Compression: m.Compression, Files: len(m.Files), Scripts: scripts}
	w.Rows, w.TextBytes, w.Bytes = Result{Files: m.Files}.Totals()
	return w
}

// Runner runs a few tasks at a time, each with any number of watchers. A task continues if the
// client that started it disconnects.
type Runner struct {
	list tasks.List[*Task]
}

// Task writes the files of a folder, or compares them.
type Task struct {
	stop context.CancelFunc
	over chan struct{}

	mu      tasks.Cond
	report  Report
	files   []File // the contents of the manifest, when they are known
	steps   live.Steps
	version int64 // of the report; grows with each change
}

// Generate starts to write files. It returns the errors that the function Generate returns before
// it writes anything.
func (d *Runner) Generate(c Config) (*Task, error) {
	g, err := newGeneration(c)
	if err != nil {
		return nil, withUsage(err)
	}
	return d.start(OfGenerate, c.Folder, func(t *Task, running []*Task) (func(context.Context) error, error) {
		tell := c.Tell
		g.Tell = func(e job.Event) {
			if tell != nil {
				tell(e)
			}
			t.tell(e)
		}
		if err := checkFree(c.Folder, running); err != nil {
			return nil, err
		}
		if err := g.claim(); err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			began := time.Now()
			result, err := g.generate(ctx, began)
			if err == nil {
				t.found(writtenOf(g.manifest(began), result.Scripts.Order()), result.Files)
			}
			return err
		}, nil
	})
}

// Verify starts to compare the files of a folder with its manifest. It refuses a folder without a
// manifest.
func (d *Runner) Verify(folder string) (*Task, error) {
	m, err := ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	return d.start(OfVerify, folder, func(t *Task, _ []*Task) (func(context.Context) error, error) {
		t.found(writtenOf(m, nil), m.Files)
		return func(ctx context.Context) error {
			_, differ, err := Verify(ctx, folder, t.tell)
			if err != nil {
				return err
			}
			t.mu.Lock()
			t.report.Differing, t.report.Differences = len(differ), differ[:min(len(differ), mostNamed)]
			t.mu.Unlock()
			return Differ(folder, differ)
		}, nil
	})
}

// Differ returns an error if files differ from their manifest.
func Differ(folder string, differ []Difference) error {
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("files in %s that differ from their manifest: %d", folder, len(differ))
}

// start starts a task.
func (d *Runner) start(kind Kind, folder string, begin func(t *Task, running []*Task) (func(context.Context) error, error)) (*Task, error) {
	return d.list.Begin(func(running []*Task) (*Task, error) {
		if len(running) >= MaxTasks {
			return nil, tasks.Busy("files are being written or compared in %d folders, which is the limit: wait for one, or stop it", MaxTasks)
		}
		ctx, stop := context.WithCancel(context.Background())
		t := &Task{
			stop: stop, over: make(chan struct{}), version: 1,
			report: Report{ID: tasks.NewID(), Kind: kind, Folder: folder, Status: tasks.Running, Begun: time.Now().UTC()},
		}
		do, err := begin(t, running)
		if err != nil {
			stop()
			return nil, err
		}
		go func() {
			defer stop()
			t.end(do(ctx))
		}()
		return t, nil
	})
}

// checkFree refuses a folder in which a task writes files, because a task that replaces files would
// remove the other task's unfinished files.
func checkFree(folder string, running []*Task) error {
	info, err := os.Stat(folder)
	if err != nil {
		return nil // it does not exist, or claiming it will report the problem
	}
	for _, t := range running {
		other, err := os.Stat(t.report.Folder)
		if t.report.Kind == OfGenerate && err == nil && os.SameFile(info, other) {
			return job.WithExit(job.ExitExists, fmt.Errorf("files are being written to %s: wait for them, or stop it", folder))
		}
	}
	return nil
}

// List lists the running tasks and those that ended recently, the oldest first.
func (d *Runner) List() []*Task { return d.list.All() }

// Find returns a task by its ID.
func (d *Runner) Find(id string) (*Task, error) {
	if t, found := d.list.Find(id); found {
		return t, nil
	}
	return nil, job.WithExit(job.ExitMissing, errors.New("this task does not exist: it ended long ago, or the program was restarted; sledge datagen verify compares a folder with its manifest"))
}

// Interrupt stops all tasks and refuses new ones, because the program ends. Folders keep their
// earlier contents.
func (d *Runner) Interrupt() {
	for _, t := range d.list.End() {
		t.stop()
	}
}

// Wait returns when no task is running.
func (d *Runner) Wait() {
	for _, t := range d.List() {
		<-t.over
	}
}

// Stop stops a task. The folder keeps its earlier contents.
func (t *Task) Stop() { t.stop() }

// Report returns the state of the task.
func (t *Task) Report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current()
}

// current returns the current report. The caller holds the lock.
func (t *Task) current() Report {
	r := t.report
	until := time.Now()
	if r.Ended != nil {
		until = *r.Ended
	}
	r.Elapsed = until.Sub(r.Begun).Seconds()
	if steps := t.steps.Shown(); len(steps) > 0 {
		r.Progress = &steps[len(steps)-1]
	}
	return r
}

// Files returns some of the files in the manifest, and their total number.
func (t *Task) Files(from, most int) (some []File, all int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all = len(t.files)
	from = min(from, all)
	return t.files[from:min(all, from+most)], all
}

// Next waits until the report is newer than a version and returns it with its own version; over
// means that no other report will follow.
func (t *Task) Next(ctx context.Context, seen int64) (r Report, version int64, over bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.version == seen && t.report.Ended == nil {
		if err := t.mu.Wait(ctx); err != nil {
			return r, seen, false, err
		}
	}
	return t.current(), t.version, t.report.Ended != nil, nil
}

// tell records the progress.
func (t *Task) tell(e job.Event) {
	if e.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps.Add(*e.Progress, e.At)
	t.wake()
}

// found records the contents of the manifest.
func (t *Task) found(w *Written, files []File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.Written, t.files = w, files
	t.wake()
}

// end records the end of the task.
func (t *Task) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ended := time.Now().UTC()
	t.report.Ended, t.report.Status = &ended, tasks.Done
	if err != nil {
		t.report.Status, t.report.Reason = tasks.Failed, err.Error()
		if job.ExitOf(err) == job.ExitStopped {
			t.report.Status = tasks.Stopped
		}
	}
	t.wake()
	close(t.over)
}

// wake wakes the waiting readers. The caller holds the lock.
func (t *Task) wake() {
	t.version++
	t.mu.Broadcast()
}

// ID implements tasks.Task.
func (t *Task) ID() string { return t.report.ID } // which never changes

// IsOver implements tasks.Task.
func (t *Task) IsOver() bool {
	select {
	case <-t.over:
		return true
	default:
		return false
	}
}
