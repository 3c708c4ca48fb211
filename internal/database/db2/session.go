package db2

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/sqlfile"
)

// session is a database.Session over the call level interface.
type session struct {
	conn   *cli.Connection
	direct *cli.Statement // runs texts that are not prepared
	inTx   bool

	// all lists the statements to free with the session.
	all []*cli.Statement

	// another opens a session like this one. claim is a session that holds the claim of a build.
	another func(context.Context) (*session, error)
	claim   *session

	// underway is the statement of the current call, if any. giving prevents that it is freed while
	// it is being cancelled.
	underway atomic.Pointer[cli.Statement]
	giving   sync.Mutex
	closed   atomic.Bool

	database.Interruption
}

func newSession(conn *cli.Connection) (*session, error) {
	s := &session{conn: conn}
	var err error
	s.direct, err = s.statement()
	return s, err
}

func (s *session) statement() (*cli.Statement, error) {
	st, err := s.conn.Statement()
	if err == nil {
		s.all = append(s.all, st)
	}
	return st, err
}

// do runs a call of a statement. The context, Cancel and Interrupt can end the call. do allocates
// nothing if ctx cannot be cancelled.
func (s *session) do(ctx context.Context, st *cli.Statement, call func(*cli.Statement) error) error {
	if ctx.Done() != nil {
		return s.watched(ctx, st, call)
	}
	return s.unwatched(st, call)
}

func (s *session) unwatched(st *cli.Statement, call func(*cli.Statement) error) error {
	s.underway.Store(st)
	defer s.underway.Store(nil)
	if s.Interrupted.Load() {
		return database.ErrInterrupted
	}
	err := s.conn.Autocommit(!s.inTx)
	if err == nil {
		err = call(st)
	}
	return s.Ended(err)
}

// watched is do with a context that can be cancelled. It repeats the cancellation, because the call
// may not have reached the server yet.
func (s *session) watched(ctx context.Context, st *cli.Statement, call func(*cli.Statement) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { s.cancelUntil(over) })
	err := s.unwatched(st, call)
	close(over)
	if stop(); err != nil && ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// cancelAgain is the time until the first repetition of a cancellation.
const cancelAgain = 250 * time.Millisecond

// cancelUntil cancels the current call until over is closed or no call is active.
func (s *session) cancelUntil(over <-chan struct{}) {
	for wait := cancelAgain; ; wait *= 2 {
		_ = s.Cancel(context.Background()) // a failed cancellation is repeated
		if s.underway.Load() == nil {
			return
		}
		select {
		case <-over:
			return
		case <-time.After(wait):
		}
	}
}

// Cancel implements database.Session.
func (s *session) Cancel(context.Context) error {
	s.giving.Lock()
	defer s.giving.Unlock()
	st := s.underway.Load()
	if st == nil || s.closed.Load() {
		return nil
	}
	return st.Cancel()
}

// breakAfter is the time limit for the server to end an interrupted call. After it, Interrupt
// breaks the connection.
const breakAfter = 2 * time.Second

// Interrupt implements database.Session. It asks the server to end the call, and breaks the
// connection if the server does not respond.
func (s *session) Interrupt() {
	if s.Interrupted.Swap(true) {
		return
	}
	go s.cancelUntil(nil)
	time.AfterFunc(breakAfter, func() {
		if s.underway.Load() != nil && !s.closed.Load() {
			s.conn.Break()
		}
	})
}

// Exec implements database.Session.
func (s *session) Exec(ctx context.Context, statement string) error {
	return s.do(ctx, s.direct, func(st *cli.Statement) error {
		err := st.ExecuteText(statement)
		return errors.Join(err, st.Close())
	})
}

// Query implements database.Session.
func (s *session) Query(ctx context.Context, statement string, limit int) (t database.Table, err error) {
	err = s.do(ctx, s.direct, func(st *cli.Statement) error {
		if err := st.Prepare(statement); err != nil {
			return err
		}
		defer st.Unbind()
		err := readTable(st, limit, &t)
		return errors.Join(err, st.Close())
	})
	return t, err
}

// readTable runs a prepared statement, and reads its result as text. The columns of a routine's
// result are known only after it has run.
func readTable(st *cli.Statement, limit int, t *database.Table) error {
	columns, err := st.Columns()
	ran := err == nil && len(columns) == 0
	if ran {
		if err = st.Execute(); err == nil {
			columns, err = st.Columns()
		}
	}
	if err != nil {
		return err
	}
	var bound []*cli.Buffer // columns before the first one with long values
	for i, c := range columns {
		t.Columns = append(t.Columns, plainName(c.Name))
		width := cli.Text.Width(c.Type)
		if i > len(bound) || width > longestBound {
			continue
		}
		bound = append(bound, cli.NewBuffer(cli.Text, width, 1))
		if err := st.BindColumn(i+1, bound[i]); err != nil {
			return err
		}
	}
	if len(columns) == 0 {
		return nil
	}
	if !ran {
		if err := st.Execute(); err != nil {
			return err
		}
	}
	for limit == 0 || len(t.Rows) < limit {
		there, err := st.Fetch()
		if err != nil || !there {
			return err
		}
		row := make([]string, len(columns))
		for i := range columns {
			if row[i], err = textOf(st, bound, i); err != nil {
				return err
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// textOf returns the text of a column of the fetched row.
func textOf(st *cli.Statement, bound []*cli.Buffer, i int) (string, error) {
	if i < len(bound) {
		if bound[i].Null(0) {
			return "NULL", nil
		}
		return string(bound[i].Bytes(0)), nil
	}
	value, null, err := st.Get(i+1, cli.Text, nil)
	if null {
		return "NULL", err
	}
	return string(value), err
}

// plainName returns a name in lower case if it is all upper case, in which the server stores
// unquoted names.
func plainName(name string) string {
	if strings.ToUpper(name) == name {
		return strings.ToLower(name)
	}
	return name
}

// Begin implements database.Session. A transaction begins with its first statement, so Begin sends
// nothing.
func (s *session) Begin(context.Context, database.Access) error {
	if s.Interrupted.Load() {
		return database.ErrInterrupted
	}
	s.inTx = true
	return nil
}

// Commit implements database.Session. After a failed commit, the transaction must be rolled back.
func (s *session) Commit(ctx context.Context) error {
	err := s.do(ctx, s.direct, func(*cli.Statement) error { return s.conn.Commit() })
	s.inTx = err != nil
	return err
}

// Rollback implements database.Session.
func (s *session) Rollback(ctx context.Context) error {
	if !s.inTx {
		return nil
	}
	err := s.do(ctx, s.direct, func(*cli.Statement) error { return s.conn.Rollback() })
	s.inTx = false
	return err
}

// Close implements database.Session. A lost connection is not an error of Close.
func (s *session) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if s.claim != nil {
		s.claim.release()
	}
	s.giving.Lock()
	defer s.giving.Unlock()
	gone := s.Interrupted.Load() || s.conn.Dead()
	var err error
	for _, st := range s.all {
		err = errors.Join(err, st.Free())
	}
	err = errors.Join(err, s.conn.Close())
	if gone {
		return nil
	}
	return err
}

// Prepare implements database.Session. In a CALL, a parameter with a field only in out is an output
// of the routine; the outputs form the only result row.
func (s *session) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	params, outputs, err := bindCall(q, in, out)
	if err != nil {
		return nil, err
	}
	handle, err := s.statement()
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", q.Name, s.Ended(err))
	}
	st := &statement{session: s, handle: handle, query: q, out: out, outputs: outputs}
	for _, p := range params {
		st.params = append(st.params, &parameter{Param: p})
	}
	err = s.do(ctx, handle, func(h *cli.Statement) error {
		if err := h.Prepare(q.Text); err != nil {
			return err
		}
		return st.bind()
	})
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", q.Name, err)
	}
	return st, nil
}
