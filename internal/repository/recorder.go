package repository

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// Recorder writes one job to the repository. It is a job.Watcher: events wait in a backlog, and a
// goroutine writes them once a second, or as soon as a batch is full. So neither a slow disk nor
// another process that holds the repository delays the run. Nothing is lost unless the backlog
// exceeds its limit of memory.
//
// Size: a second with five kinds of transaction and both latencies takes 2.3 KB of the file at
// 1,000 transactions a second and 8.5 KB at 10,000 (TPC-C's mix, log-normal around 2 ms to 10 ms),
// which would be up to 730 MB a day. So after an hour, 30 seconds are stored as one: a day takes 67
// MB or 146 MB.
type Recorder struct {
	store  *Store
	id     job.ID
	number int64 // of its row

	ending   chan struct{} // closed by End
	finished chan struct{} // closed when the goroutine is gone

	backlog *backlog
	reserve reserve
	full    chan struct{} // signals that a batch is full

	flushing sync.Mutex // held while the backlog is written, so that it is written in order
	rows     int        // samples of series that are stored in rows

	mu      sync.Mutex
	ended   bool
	written time.Time // when the last transaction was committed
	trouble error     // the last error of writing

	// open is the current span of several seconds. Only Watch and End use it, and they are never
	// called at the same time.
	open struct {
		count    int
		event    job.Event // last second of the span
		interval *meter.Interval
	}
}

const (
	flushEvery = time.Second
	heartbeat  = 15 * time.Second

	// silentFor is how long a job on another host, where its process cannot be
	// looked up, may show no sign of life before it counts as killed.
	silentFor = 8 * heartbeat

	// patience is the time limit for waiting while other processes hold the repository. The end of
	// a job waits for usualPatience.
	patience = time.Second

	fineFor    = time.Hour // of each phase, in which each second is stored separately
	coarseSpan = 30        // seconds that are stored as one afterwards
)

// totalPhase marks the span with the totals of the run. It is not a phase of a run, and not
// returned by Seconds.
const totalPhase job.Phase = "total"

// Begin adds a job that begins now. kinds are the names of its kinds of transaction. profile is the
// number of its performance profile, or 0. The spec must not contain secrets.
func (s *Store) Begin(ctx context.Context, spec job.Spec, kinds []string, profile int) (*Recorder, error) {
	if err := refuseSecrets(spec); err != nil {
		return nil, err
	}
	me, err := host.Self()
	if err != nil {
		return nil, err
	}
	specText, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("record a new job: %w", err)
	}
	kindsText, err := json.Marshal(kinds)
	if err != nil {
		return nil, fmt.Errorf("record a new job: %w", err)
	}
	now := time.Now()
	r := &Recorder{
		store: s, id: job.NewID(), written: now, ending: make(chan struct{}), finished: make(chan struct{}),
		backlog: newBacklog(s.path, spec.AllUsers()), full: make(chan struct{}, 1),
	}
	row := s.db.QueryRowContext(ctx, `INSERT INTO job
		(id, action, database, workload, profile, spec, kinds, status, begun_ms, seen_ms, host, pid, process_begun_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
		r.id, spec.Action, spec.Database, spec.Workloads(), profile, string(specText), string(kindsText), job.Running,
		now.UnixMilli(), now.UnixMilli(), me.Host, me.PID, me.Begun.UnixMilli())
	if err := row.Scan(&r.number); err != nil {
		return nil, fmt.Errorf("record a new job: %w", err)
	}
	r.reserve.make(s.path)
	go r.keepWriting(context.WithoutCancel(ctx)) // an aborted run is recorded too
	return r, nil
}

// refuseSecrets is the last line of defence: callers must leave passwords out of jobs they
// store.
func refuseSecrets(spec job.Spec) error {
	for name, value := range spec.Options {
		lower := strings.ToLower(name)
		if value != "" && (strings.HasSuffix(lower, "pass") || strings.HasSuffix(lower, "password")) {
			return job.WithExit(job.ExitInternal, fmt.Errorf("option %s is a secret, which the job repository does not keep", name))
		}
	}
	return nil
}

// ID returns the job's ID.
func (r *Recorder) ID() job.ID { return r.id }

// Watch records the events of the job, except progress. It never waits for the repository.
func (r *Recorder) Watch(e job.Event) {
	switch {
	case e.Second != nil:
		r.watchSecond(e)
		return
	case e.Progress != nil:
		return
	case e.Samples != nil:
		for _, one := range e.Samples {
			if v := one.Value; math.IsNaN(v) || math.IsInf(v, 0) { // neither JSON nor a REAL column that is NOT NULL can hold it
				r.drop(fmt.Errorf("the series %s has the value %g", one.Name, v))
				return
			}
		}
		r.add(entry{Samples: &e})
		return
	case e.Activity != nil:
		r.add(entry{Activity: &e})
		return
	}
	kept, err := newEntry(e)
	if err != nil {
		r.drop(err)
		return
	}
	r.add(kept)
}

// Count notes a reading of the transaction counter. It may be called from any
// goroutine, but not after End.
func (r *Recorder) Count(c job.Count) {
	r.Watch(job.Event{At: c.At, Samples: []job.Sample{{Series: job.Series{Name: job.TransactionCounter, Unit: "tpm"}, Value: c.Rate}}})
}

func (r *Recorder) add(e entry) {
	if !r.backlog.add(e) {
		return
	}
	select {
	case r.full <- struct{}{}:
	default: // a signal is pending already
	}
}

// watchSecond records a second as it is, or, later in a run, adds it to the current span.
func (r *Recorder) watchSecond(e job.Event) {
	s := *e.Second
	if r.open.count > 0 && r.open.event.Second.Phase != s.Phase {
		r.closeSpan()
	}
	if s.Passed() <= fineFor {
		r.add(entry{Second: &e})
		return
	}
	if r.open.interval == nil {
		r.open.interval = meter.NewInterval(len(s.Measured.Kinds))
	}
	if err := r.open.interval.Add(s.Measured); err != nil {
		r.drop(err)
		return
	}
	r.open.count++
	if before := r.open.event.Second; s.ServerTPM == nil && before != nil {
		s.ServerTPM = before.ServerTPM
	}
	e.Second = &s
	r.open.event = e
	if r.open.count == coarseSpan {
		r.closeSpan()
	}
}

func (r *Recorder) closeSpan() {
	if r.open.count == 0 {
		return
	}
	r.open.event.Second.Measured = r.open.interval.Cut(0)
	second := r.open.event
	r.add(entry{Second: &second})
	r.open.count, r.open.event = 0, job.Event{}
}

// drop counts a lost event, and keeps the error.
func (r *Recorder) drop(err error) {
	r.backlog.drop()
	r.note(err)
}

// note records the latest error of a write.
func (r *Recorder) note(err error) {
	r.mu.Lock()
	r.trouble = err
	r.mu.Unlock()
}

func (r *Recorder) keepWriting(ctx context.Context) {
	defer close(r.finished)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.ending:
			return
		case <-tick.C:
		case <-r.full:
		}
		r.flush(ctx)
	}
}

// flush writes the waiting entries, or a sign of life if nothing was written for a while. Entries
// that could not be written stay in the backlog, because the repository may be writable again a
// second later.
func (r *Recorder) flush(ctx context.Context) {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	for {
		r.mu.Lock()
		silent := time.Since(r.written) >= heartbeat
		r.mu.Unlock()
		if left, _ := r.backlog.left(); left == 0 && !silent {
			return
		}
		if err := r.writeBatch(ctx, r.store.transactBriefly); err != nil {
			r.note(errors.Join(err, r.backlog.setAside()))
			return
		}
	}
}

// transact is a function that runs work in a transaction.
type transact func(ctx context.Context, work func(*sql.Tx) error) error

// writeBatch writes the oldest batch, and notes that the job is alive.
func (r *Recorder) writeBatch(ctx context.Context, transact transact) error {
	oldest, err := r.backlog.next()
	if err != nil {
		return err
	}
	now := time.Now()
	var rows int
	err = transact(ctx, func(tx *sql.Tx) error {
		all := inserts{ctx: ctx, tx: tx, job: r.number, rows: r.rows, others: &breather{now}}
		all.others.breathe()
		for i := range oldest.entries {
			if err := all.entry(&oldest.entries[i]); err != nil {
				return err
			}
		}
		if all.rows >= mostRows {
			if err := all.columns(); err != nil {
				return err
			}
		}
		rows = all.rows
		_, err := all.run(`UPDATE job SET seen_ms = ? WHERE number = ?`, now.UnixMilli(), r.number)
		return err
	})
	if err != nil {
		return err
	}
	r.backlog.written(oldest)
	r.rows = rows
	r.mu.Lock()
	r.written = now
	r.mu.Unlock()
	return nil
}

// End writes the remaining entries and the end of the job. err is the error that failed the job, or
// nil. If part of the job could not be recorded, End returns an error and the stored result says
// so. End works even if ctx has been cancelled.
func (r *Recorder) End(ctx context.Context, result job.Result, err error) error {
	ctx = context.WithoutCancel(ctx)
	r.mu.Lock()
	ended := r.ended
	r.ended = true
	r.mu.Unlock()
	if ended {
		return fmt.Errorf("job %s has been ended already", r.id)
	}
	close(r.ending)
	<-r.finished
	r.closeSpan()
	defer r.backlog.aside.close()
	defer r.reserve.close()

	result = result.Settled(err)
	result.Limit()
	rest, err := r.lastBatch(ctx)
	left, lost := r.backlog.left()
	var unfit error
	if err == nil {
		var problem error
		if lost > 0 {
			problem = fmt.Errorf("%d events of job %s were not recorded: %w", lost, r.id, cmp.Or(r.trouble, errTooSlow))
		}
		if unfit, err = r.writeEnd(ctx, rest, result, lost, problem); err == nil {
			r.putAway(ctx)
			return errors.Join(problem, unfit)
		}
	}
	// The summary and the end of a job are smaller than its events, and space is reserved for them.
	// If not even the end can be written, the job is listed as killed once this process has ended.
	r.reserve.close()
	lost += left
	problem := fmt.Errorf("%d events of job %s were not recorded: %w", lost, r.id, err)
	if unfit, failure := r.writeEnd(ctx, nil, result, lost, problem); failure == nil {
		return errors.Join(problem, unfit)
	}
	problem = fmt.Errorf("%d events and all figures of job %s were not recorded: %w", lost, r.id, err)
	_, _ = r.writeEnd(ctx, nil, result.Brief(), lost, problem) // most likely for the same reason
	return problem
}

// lastBatch writes all full batches, and returns the remaining entries.
func (r *Recorder) lastBatch(ctx context.Context) ([]entry, error) {
	for {
		left, _ := r.backlog.left()
		if left <= batchSize && r.backlog.aside.count == 0 {
			last, err := r.backlog.next()
			return last.entries, err
		}
		if err := r.writeBatch(ctx, r.store.transact); err != nil {
			return nil, err
		}
	}
}

// errTooSlow is the reason for dropped events if no transaction failed.
var errTooSlow = errors.New("the repository was too slow")

// NotRecorded marks the result of a job that was not recorded completely, unless problem is nil.
// The job's status does not change, because its measurements are complete.
func NotRecorded(result job.Result, problem error) job.Result {
	if problem != nil {
		result.Unrecorded = problem.Error()
	}
	return result
}

// writeEnd writes the remaining events, the totals and the end of the job in one transaction, so
// that the status never claims more than the repository contains. problem says why something is
// missing, or is nil. If a result cannot be encoded, for example because a metric is not a number,
// the job is recorded as failed, with the error as its reason.
func (r *Recorder) writeEnd(ctx context.Context, rest []entry, result job.Result, lost int64, problem error) (unfit, err error) {
	result = NotRecorded(result, problem)
	text, unfit := json.Marshal(result.Brief())
	if unfit != nil { // the measurements are stored nevertheless
		result.Status, result.Reason = job.Failed, fmt.Sprintf("its result could not be encoded: %v", unfit)
	}
	total := result.Summary.Coded()
	now := time.Now()
	var rows int
	err = r.store.transactToDisk(ctx, func(tx *sql.Tx) error {
		all := inserts{ctx: ctx, tx: tx, job: r.number, rows: r.rows}
		for i := range rest {
			if err := all.entry(&rest[i]); err != nil {
				return err
			}
		}
		rows = all.rows
		if len(total.Kinds) > 0 {
			sum := job.Second{Moment: job.Moment{Phase: totalPhase, Offset: total.Elapsed.Seconds()}, Measured: total}
			if err := all.span(now, sum); err != nil {
				return err
			}
		}
		for phase, users := range map[job.Phase][]meter.CodedSummary{job.RampUp: result.RampUpPerUser, job.Measure: result.PerUser} {
			for user, measured := range users {
				if err := all.user(user+job.FirstWorker, phase, measured); err != nil {
					return err
				}
			}
		}
		if err := all.plans(result.Plans); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE job SET status = ?, reason = ?, ended_ms = ?, seen_ms = ?, result = ?, dropped = ? WHERE number = ?`,
			result.Status, result.Reason, now.UnixMilli(), now.UnixMilli(), sql.NullString{String: string(text), Valid: unfit == nil}, lost, r.number)
		return err
	})
	if err == nil {
		r.rows = rows
	}
	return unfit, err
}

// putAway puts the last samples of a job that has ended into columns. If that fails, for example on a
// full disk, they stay in rows, where readers find them too.
func (r *Recorder) putAway(ctx context.Context) {
	if r.rows == 0 {
		return
	}
	_ = r.store.transactBriefly(ctx, func(tx *sql.Tx) error {
		all := inserts{ctx: ctx, tx: tx, job: r.number}
		return all.columns()
	})
}
