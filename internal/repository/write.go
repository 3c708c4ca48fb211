package repository

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
)

// inserts writes the rows of one job in one transaction.
type inserts struct {
	ctx context.Context
	tx  *sql.Tx
	job int64

	rows int // samples of the job's series that are stored in rows

	others *breather // yields the processor after each statement; nil if no virtual users run

	prepared map[string]*sql.Stmt // the same statement may run for thousands of virtual users
}

// breather gives the processor to virtual users while the goroutine works beside them.
type breather struct{ since time.Time }

// breathe is called after each statement. After 100 µs of work it sleeps for 50 µs. runtime.Gosched
// would not suffice, because Go polls the network only when nothing else can run.
func (b *breather) breathe() {
	const atOnce, pause = 100 * time.Microsecond, 50 * time.Microsecond
	if b != nil && time.Since(b.since) > atOnce {
		time.Sleep(pause)
		b.since = time.Now()
	}
}

// run runs a statement, and returns the number of the row that it inserted.
func (w *inserts) run(statement string, arguments ...any) (number int64, err error) {
	defer w.others.breathe()
	s := w.prepared[statement]
	if s == nil {
		if s, err = w.tx.PrepareContext(w.ctx, statement); err != nil {
			return 0, err
		}
		if w.prepared == nil {
			w.prepared = map[string]*sql.Stmt{}
		}
		w.prepared[statement] = s // closed with the transaction
	}
	result, err := s.ExecContext(w.ctx, arguments...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// entry writes one entry.
func (w *inserts) entry(e *entry) error {
	var err error
	if e.Second != nil {
		err = w.span(e.Second.At, *e.Second.Second)
	}
	if e.Samples != nil {
		for i := range e.Samples.Samples {
			if err == nil {
				err = w.sample(e.Samples.At, &e.Samples.Samples[i])
			}
		}
	}
	if e.Activity != nil && err == nil {
		err = w.activity(e.Activity.At, *e.Activity.Activity)
	}
	if f := e.Failure; f != nil && err == nil {
		_, err = w.run(`INSERT INTO failure (job, at_ms, user, kind, class, message, retried) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			w.job, f.At.UnixMilli(), f.User, f.Kind, f.Class, f.Message, f.Retried)
	}
	if e.Facts != nil && err == nil {
		_, err = w.run(`UPDATE job SET facts = ? WHERE number = ?`, string(e.Facts), w.job)
	}
	if e.Settled != nil && err == nil {
		err = w.settle(e.Settled)
	}
	if e.Event != nil && err == nil {
		_, err = w.run(`INSERT INTO event (job, event) VALUES (?, ?)`, w.job, string(e.Event))
	}
	return err
}

// settle stores options of the job's spec that were settled during the job.
func (w *inserts) settle(options option.Values) error {
	patch, err := json.Marshal(options)
	if err != nil {
		return err
	}
	_, err = w.run(`UPDATE job SET spec = json_set(spec, '$.options', json_patch(coalesce(spec -> '$.options', '{}'), ?)) WHERE number = ?`, string(patch), w.job)
	return err
}

// span writes the measurements of one second or several, which ended at a given time.
func (w *inserts) span(at time.Time, s job.Second) error {
	b := briefOf(s.Measured)
	w.others.breathe()
	span, err := w.run(`INSERT INTO span (job, at_ms, phase, offset_ns, elapsed_ns, server_tpm, ended, failed, response) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		w.job, at.UnixMilli(), s.Phase, int64(s.Passed()), int64(s.Measured.Elapsed), s.ServerTPM, b.ended, b.failed, b.response)
	if err != nil {
		return err
	}
	for kind, t := range s.Measured.Kinds {
		if err := w.tally(`INSERT INTO tally (`+tallyColumns+`, span, kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, t, span, kind); err != nil {
			return err
		}
	}
	return nil
}

// user writes the measurements of a virtual user in a phase.
func (w *inserts) user(position int, phase job.Phase, measured meter.CodedSummary) error {
	for kind, t := range measured.Kinds {
		err := w.tally(`INSERT INTO user_tally (`+tallyColumns+`, job, user, phase, elapsed_ns, kind) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			t, w.job, position, phase, int64(measured.Elapsed), kind)
		if err != nil {
			return err
		}
	}
	return nil
}

// tally writes the tally of one kind of transaction with a statement. Its arguments are
// tallyColumns, followed by others.
func (w *inserts) tally(statement string, t meter.CodedTally, others ...any) error {
	failed, err := failedText(t)
	if err != nil {
		return err
	}
	_, err = w.run(statement, append([]any{
		t.Done, t.RolledBack, t.Retried, failed, []byte(t.Service), []byte(t.Response),
		t.Traffic.Sent, t.Traffic.Received, t.Traffic.RoundTrips,
	}, others...)...)
	return err
}

// failedText returns the failures by class as the repository stores them, or NULL if there are
// none.
func failedText(t meter.CodedTally) (sql.NullString, error) {
	if len(t.Failed) == 0 {
		return sql.NullString{}, nil
	}
	text, err := json.Marshal(t.Failed)
	return sql.NullString{String: string(text), Valid: true}, err
}
