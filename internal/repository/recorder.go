package repository

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/sqlitefile"
)

// Recorder writes one job into the repository. It is a Watcher: what it is told
// it keeps in memory, and a goroutine of its own writes that about once a second
// in one transaction, so that neither a slow disk nor another process that holds
// the repository holds up the run.
//
// Size: a second of five kinds of transaction with both latencies takes 2.3 KB of
// the file at 1,000 transactions a second and 8.5 KB at 10,000 (TPC-C's mix,
// log-normal around 2 ms to 10 ms), which would be up to 730 MB a day. So after an
// hour half a minute is kept as one: a day is 67 MB and 146 MB.
type Recorder struct {
	store  *Store
	id     job.ID
	number int64 // of its row

	ending   chan struct{} // closed by End
	finished chan struct{} // closed when the goroutine is gone

	flushing sync.Mutex // so that what is pending is written in order

	mu      sync.Mutex
	ended   bool
	pending []write
	dropped int64
	written time.Time // when the last transaction was committed
	trouble error     // why a transaction failed last

	// open is what a span of several seconds holds so far. Only Watch and End
	// touch it, which are never called at once.
	open struct {
		count    int
		at       time.Time
		second   job.Second
		interval *meter.Interval
	}
}

// write is one thing to be written. It may be called again after a transaction
// that failed.
type write func(ctx context.Context, tx *sql.Tx) error

const (
	flushEvery = time.Second
	heartbeat  = 15 * time.Second

	// silentFor is how long a job on another host, where its process cannot be
	// looked up, may show no sign of life before it counts as killed.
	silentFor = 8 * heartbeat

	// pendingLimit bounds what is kept for a repository that cannot be written:
	// what comes after it is dropped and counted. Seconds are some KB each.
	pendingLimit = 10_000

	fineFor    = time.Hour // of each phase, in which every second is kept on its own
	coarseSpan = 30        // seconds that are kept as one after that
)

// totalPhase marks the span that holds what was measured in the whole run. It is
// no phase of a run, and not returned by Seconds.
const totalPhase job.Phase = "total"

// Begin enters a job that begins now. The names in kinds are those of its kinds
// of transaction. The spec must have no secrets.
func (s *Store) Begin(ctx context.Context, spec job.Spec, kinds []string) (*Recorder, error) {
	if err := refuseSecrets(spec); err != nil {
		return nil, err
	}
	me, err := host.Self()
	if err != nil {
		return nil, err
	}
	specText, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("enter a job into the repository: %w", err)
	}
	kindsText, err := json.Marshal(kinds)
	if err != nil {
		return nil, fmt.Errorf("enter a job into the repository: %w", err)
	}
	now := time.Now()
	r := &Recorder{store: s, id: job.NewID(), written: now, ending: make(chan struct{}), finished: make(chan struct{})}
	row := s.db.QueryRowContext(ctx, `INSERT INTO job
		(id, action, database, workload, profile, spec, kinds, status, begun_ms, seen_ms, host, pid, process_begun_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
		r.id, spec.Action, spec.Database, spec.Workload, spec.Profile, string(specText), string(kindsText), job.Running,
		now.UnixMilli(), now.UnixMilli(), me.Host, me.PID, me.Begun.UnixMilli())
	if err := row.Scan(&r.number); err != nil {
		return nil, fmt.Errorf("enter a job into the repository: %w", err)
	}
	go r.keepWriting(context.WithoutCancel(ctx)) // a run that is broken off is recorded too
	return r, nil
}

// refuseSecrets is the last line of defence: whoever asks for a job leaves its
// passwords out of what is kept.
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

// Watch notes what happens in the job; of its progress nothing is kept. It never waits
// for the repository.
func (r *Recorder) Watch(e job.Event) {
	switch {
	case e.Second != nil:
		r.watchSecond(e.At, *e.Second)
		return
	case e.Progress != nil:
		return
	case e.Sample != nil:
		r.Count(job.Count{At: e.At, Rate: e.Sample.Value})
		return
	case e.Failure != nil:
		f := *e.Failure
		r.add(func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO failure (job, at_ms, user, kind, class, message, retried) VALUES (?, ?, ?, ?, ?, ?, ?)`,
				r.number, e.At.UnixMilli(), e.User, f.Kind, f.Class, f.Message, f.Retried)
			return err
		})
	case e.Facts != nil:
		r.addText(e.Facts, `UPDATE job SET facts = ?2 WHERE number = ?1`)
	}
	r.addText(e, `INSERT INTO event (job, event) VALUES (?1, ?2)`)
}

// addText has the value written as JSON, by a statement with the job's number and the
// text.
func (r *Recorder) addText(value any, statement string) {
	text, err := json.Marshal(value)
	if err != nil {
		r.drop(err)
		return
	}
	r.add(func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, r.number, string(text))
		return err
	})
}

// Count notes a reading of the transaction counter. It may be called from any
// goroutine, but not after End.
func (r *Recorder) Count(c job.Count) {
	r.add(func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO reading (job, at_ms, tpm) VALUES (?, ?, ?)`, r.number, c.At.UnixMilli(), c.Rate)
		return err
	})
}

// watchSecond adds a second as it is, or later in a run to the span it is part of.
func (r *Recorder) watchSecond(at time.Time, s job.Second) {
	if r.open.count > 0 && r.open.second.Phase != s.Phase {
		r.closeSpan()
	}
	if s.Offset <= fineFor {
		r.addSpan(at, s)
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
	r.open.at = at
	r.open.second.Phase, r.open.second.Offset = s.Phase, s.Offset
	if s.ServerTPM != nil {
		r.open.second.ServerTPM = s.ServerTPM
	}
	if r.open.count == coarseSpan {
		r.closeSpan()
	}
}

func (r *Recorder) closeSpan() {
	if r.open.count == 0 {
		return
	}
	r.open.second.Measured = r.open.interval.Cut(0)
	r.addSpan(r.open.at, r.open.second)
	r.open.count, r.open.second = 0, job.Second{}
}

func (r *Recorder) addSpan(at time.Time, s job.Second) {
	var tpm sql.Null[float64]
	if s.ServerTPM != nil {
		tpm = sql.Null[float64]{V: *s.ServerTPM, Valid: true}
	}
	r.add(func(ctx context.Context, tx *sql.Tx) error {
		return writeSpan(ctx, tx, r.number, StoredSecond{At: at, Phase: s.Phase, Offset: s.Offset, Elapsed: s.Measured.Elapsed, Tallies: s.Measured.Kinds}, tpm)
	})
}

func writeSpan(ctx context.Context, tx *sql.Tx, job int64, s StoredSecond, tpm sql.Null[float64]) error {
	var span int64
	row := tx.QueryRowContext(ctx, `INSERT INTO span (job, at_ms, phase, offset_ns, elapsed_ns, server_tpm) VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
		job, s.At.UnixMilli(), s.Phase, int64(s.Offset), int64(s.Elapsed), tpm)
	if err := row.Scan(&span); err != nil {
		return err
	}
	for kind, t := range s.Tallies {
		failed, err := failedText(t)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO tally (span, kind, done, rolled_back, retried, failed, service, response) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			span, kind, t.Done, t.RolledBack, t.Retried, failed, t.Service, t.Response)
		if err != nil {
			return err
		}
	}
	return nil
}

// failedText is the count of failures by class as it is kept, NULL for none.
func failedText(t meter.CodedTally) (sql.NullString, error) {
	if len(t.Failed) == 0 {
		return sql.NullString{}, nil
	}
	text, err := json.Marshal(t.Failed)
	return sql.NullString{String: string(text), Valid: true}, err
}

// writeUser writes what one virtual user measured.
func writeUser(ctx context.Context, tx *sql.Tx, job int64, position int, measured meter.Coded) error {
	for kind, t := range measured.Kinds {
		failed, err := failedText(t)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO user_tally (job, user, elapsed_ns, kind, done, rolled_back, retried, failed, service, response)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			job, position, int64(measured.Elapsed), kind, t.Done, t.RolledBack, t.Retried, failed, t.Service, t.Response)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) add(w write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) >= pendingLimit {
		r.dropped++
		return
	}
	r.pending = append(r.pending, w)
}

func (r *Recorder) drop(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped++
	r.trouble = err
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
			r.flush(ctx)
		}
	}
}

// flush writes what is pending. What could not be written stays pending, as the
// repository may be writable again in a second.
func (r *Recorder) flush(ctx context.Context) {
	r.flushing.Lock()
	defer r.flushing.Unlock()
	r.mu.Lock()
	batch := r.pending
	r.pending = nil
	idle := len(batch) == 0 && time.Since(r.written) < heartbeat
	r.mu.Unlock()
	if idle {
		return
	}

	now := time.Now()
	err := sqlitefile.Transact(ctx, r.store.db, func(tx *sql.Tx) error {
		for _, w := range batch {
			if err := w(ctx, tx); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `UPDATE job SET seen_ms = ? WHERE number = ?`, now.UnixMilli(), r.number)
		return err
	})

	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.written = now
		return
	}
	r.trouble = err
	r.pending = append(batch, r.pending...)
	if over := len(r.pending) - pendingLimit; over > 0 {
		r.pending = r.pending[:pendingLimit]
		r.dropped += int64(over)
	}
}

// End writes what is left, and how the job ended: err is why it failed, if it
// did. It returns an error if anything of the job could not be recorded; the job then
// shows as one that did not succeed, and says why. It does so even when ctx has been
// cancelled.
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

	r.mu.Lock()
	rest, lost, trouble := r.pending, r.dropped, r.trouble
	r.mu.Unlock()
	result = result.Settled(err)
	var problem error
	if lost > 0 {
		problem = fmt.Errorf("%d events of job %s were not recorded: %w", lost, r.id, cmp.Or(trouble, errTooSlow))
	}
	unfit, err := r.writeEnd(ctx, rest, result, lost, problem)
	if err == nil {
		return errors.Join(problem, unfit)
	}
	// How it ended takes less room than all that was measured. If not even that can be
	// written, the job shows as killed once this process has ended.
	lost += int64(len(rest))
	problem = fmt.Errorf("%d events and all the figures of job %s were not recorded: %w", lost, r.id, err)
	result.Summary, result.PerUser = meter.Summary{}, nil
	_, _ = r.writeEnd(ctx, nil, result, lost, problem) // most likely for the same reason
	return problem
}

// errTooSlow is why events were dropped where no transaction failed.
var errTooSlow = errors.New("the repository was too slow to take them")

// NotRecorded marks the result of a job of which something was not recorded, unless
// problem is nil: nobody is to take it for a whole one.
func NotRecorded(result job.Result, problem error) job.Result {
	if problem == nil {
		return result
	}
	if result.Status == job.Succeeded {
		result.Status = job.Failed
		result.Reason = fmt.Sprintf("it came to its end, but not all of it was recorded: %v", problem)
		return result
	}
	result.Reason += fmt.Sprintf("; besides, not all of it was recorded: %v", problem)
	return result
}

// writeEnd writes in one transaction what is left of the events, what was measured in
// all, and how the job ended, so that no status stands for more than there is. The
// problem is why something is missing, if it is. A result that is unfit to be encoded,
// as a metric is no number, is left out, and said to be.
func (r *Recorder) writeEnd(ctx context.Context, rest []write, result job.Result, lost int64, problem error) (unfit, err error) {
	result = NotRecorded(result, problem)
	text, unfit := json.Marshal(result)
	if unfit != nil { // what was measured is kept all the same
		result.Status, result.Reason = job.Failed, fmt.Sprintf("its result could not be encoded: %v", unfit)
	}
	total := result.Summary.Coded()
	users := make([]meter.Coded, len(result.PerUser))
	for i := range users {
		users[i] = result.PerUser[i].Coded()
	}
	now := time.Now()
	err = r.store.transactToDisk(ctx, func(tx *sql.Tx) error {
		for _, w := range rest {
			if err := w(ctx, tx); err != nil {
				return err
			}
		}
		if len(total.Kinds) > 0 {
			span := StoredSecond{At: now, Phase: totalPhase, Offset: total.Elapsed, Elapsed: total.Elapsed, Tallies: total.Kinds}
			if err := writeSpan(ctx, tx, r.number, span, sql.Null[float64]{}); err != nil {
				return err
			}
		}
		for user, measured := range users {
			if err := writeUser(ctx, tx, r.number, user+job.FirstWorker, measured); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `UPDATE job SET status = ?, reason = ?, ended_ms = ?, seen_ms = ?, result = ?, dropped = ? WHERE number = ?`,
			result.Status, result.Reason, now.UnixMilli(), now.UnixMilli(), sql.NullString{String: string(text), Valid: unfit == nil}, lost, r.number)
		return err
	})
	return unfit, err
}
