package sessions

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite"
)

// locked opens a session that holds a lock on row 1 of the counters. update changes the row again
// in that session.
func (s *tester) locked(t suite.T) (update func()) {
	t.Helper()
	s.counters(t)
	holder := s.connect(t)
	if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	in := counter{ID: 1, N: 1}
	statement := s.prepare(t, holder, "counters.update", &in, nil)
	mustRun(t, statement, 1)
	t.Cleanup(func() {
		if err := holder.Rollback(context.Background()); err != nil {
			t.Errorf("rollback: %v", err)
		}
	})
	return func() { t.Helper(); mustRun(t, statement, 1) }
}

// waiting prepares a call that waits for the lock of locked, or that takes hours.
func (s *tester) waiting(t suite.T, session database.Session) database.Statement {
	t.Helper()
	if s.sql.Has("endless") {
		return s.prepare(t, session, "endless", nil, nil)
	}
	return s.prepare(t, session, "counters.update", &counter{ID: 1, N: 2}, nil)
}

// one queries the number 1.
func (s *tester) one(ctx context.Context, t suite.T, session database.Session) (database.Table, error) {
	t.Helper()
	return session.Query(ctx, s.query(t, "one").Text, 0)
}

func (s *tester) testContext(t suite.T) {
	session := s.connect(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.one(over, t, session); !errors.Is(err, context.Canceled) {
		t.Errorf("query in a cancelled context: got %v, want %v", err, context.Canceled)
	}
	s.locked(t)
	waiting := s.waiting(t, s.connect(t))
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := within(t, 5*time.Second, "a call whose context has ended", func() error {
		_, err := waiting.Run(short, nil)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a blocked call whose context ended: got %v, want %v", err, context.DeadlineExceeded)
	}
}

func (s *tester) testInterrupt(t suite.T) {
	update := s.locked(t)
	for _, tt := range []struct {
		name  string
		after time.Duration // time of the interrupt, since the call began
	}{
		{"while a call waits", 300 * time.Millisecond},
		{"before the call", 0},
	} {
		t.Run(tt.name, func(t suite.T) {
			session, err := s.d.Sessions.Connect(t.Context(), s.options(t, nil), database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			end := sync.OnceValue(session.Close)
			t.Cleanup(func() { _ = end() })
			waiting := s.waiting(t, session)
			if tt.after == 0 {
				session.Interrupt()
			} else {
				time.AfterFunc(tt.after, session.Interrupt)
			}
			start := time.Now()
			err = within(t, patience, "an interrupted call", func() error {
				// Virtual users call with a context that is never cancelled.
				_, err := waiting.Run(context.Background(), nil)
				return err
			})
			if took := time.Since(start); err == nil || took > tt.after+2*time.Second {
				t.Errorf("got %v after %v, want an error within two seconds", err, took)
			}
			if class := s.d.Sessions.Classify(err); class != meter.Connection {
				t.Errorf("got class %v of %v, want %v", class, err, meter.Connection)
			}
			// After an interrupt only Close is guaranteed to work, but no call may hang.
			_ = within(t, 5*time.Second, "rollback after an interrupt", func() error { return session.Rollback(context.Background()) })
			_ = within(t, 5*time.Second, "close after an interrupt", end)
			session.Interrupt() // allowed at any time
		})
	}
	update() // the session with the lock still works
}

func (s *tester) testCancel(t suite.T) {
	s.locked(t)
	session := s.connect(t)
	waiting := s.waiting(t, session)
	one := func() {
		t.Helper()
		// The cancellation may have come too late for the previous statement, so this one may fail.
		_, _ = s.one(context.Background(), t, session)
		if got, err := s.one(context.Background(), t, session); err != nil || len(got.Rows) != 1 || got.Rows[0][0] != "1" {
			t.Fatalf("the next statement: got %v, %v; want 1", got.Rows, err)
		}
	}
	for range 3 {
		cancelled := make(chan error, 1)
		time.AfterFunc(300*time.Millisecond, func() { cancelled <- session.Cancel(t.Context()) })
		start := time.Now()
		err := within(t, patience, "a cancelled statement", func() error {
			_, err := waiting.Run(context.Background(), nil)
			return err
		})
		if took := time.Since(start); err == nil || took > 2*time.Second {
			t.Errorf("got %v after %v, want an error within two seconds", err, took)
		}
		if err := <-cancelled; err != nil {
			t.Errorf("cancel: %v", err)
		}
		one()
	}
	if err := session.Cancel(t.Context()); err != nil {
		t.Errorf("cancel without a current call: %v", err)
	}
	one()
	session.Interrupt()
	if _, err := s.one(context.Background(), t, session); err == nil {
		t.Error("an interrupted session still answers after cancellations")
	}
}

// testDeadlock updates two rows in opposite order in two sessions. The session that succeeds waits
// for the other, so that a database with one writer at a time reports its refusal too. If both
// updates succeed, one commit must fail.
func (s *tester) testDeadlock(t suite.T) {
	s.counters(t)
	var increments [2]database.Statement
	var sessions [2]database.Session
	var ids [2]counter
	var half, through, ended [2]chan struct{}
	results := make(chan error, 2)
	for i := range sessions {
		sessions[i] = s.connect(t)
		increments[i] = s.prepare(t, sessions[i], "counters.increment", &ids[i], nil)
		half[i], through[i], ended[i] = make(chan struct{}), make(chan struct{}), make(chan struct{})
	}
	deadlock := func(me int) error {
		session, other := sessions[me], 1-me
		defer close(ended[me])
		if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
			return err
		}
		increment := func(id int) error {
			ids[me].ID = int64(id)
			_, err := increments[me].Run(t.Context(), nil)
			return err
		}
		err := increment(1 + me)
		close(half[me])
		if err == nil {
			wait(half[other], nil, time.Second)
			err = increment(1 + other)
		}
		if err != nil {
			return errors.Join(err, session.Rollback(t.Context()))
		}
		close(through[me])
		wait(ended[other], through[other], patience/2)
		if err := session.Commit(t.Context()); err != nil {
			return errors.Join(err, session.Rollback(t.Context()))
		}
		return nil
	}
	for i := range sessions {
		go func() { results <- deadlock(i) }()
	}
	failed := 0
	for range sessions {
		select {
		case err := <-results:
			if err == nil {
				continue
			}
			failed++
			if class := s.d.Sessions.Classify(err); !class.Retryable() {
				t.Errorf("got class %v of %v, want a retryable class", class, err)
			}
		case <-time.After(patience):
			t.Fatalf("the deadlock was not resolved within %v", patience)
		}
	}
	if failed != 1 && (failed != 2 || !s.sql.Has("endless")) {
		t.Errorf("%d of the two transactions failed, want 1", failed)
	}
	s.wantValue(t, s.connect(t), "counters.sum", 2*(2-failed))
}

// wait waits until one of the channels is closed, or for limit.
func wait(one, other <-chan struct{}, limit time.Duration) {
	select {
	case <-one:
	case <-other:
	case <-time.After(limit):
	}
}

func (s *tester) testConnectErrors(t suite.T) {
	const wrong = "wrong-password-7541"
	for _, tt := range []struct {
		name    string
		option  string // the case needs this option
		changes option.Values
		class   meter.Class
	}{
		{"a wrong password", "password", option.Values{"password": wrong}, meter.Permission},
		{"a missing user", "user", option.Values{"user": "sledge_nobody", "password": wrong}, meter.Permission},
		{"a missing server", "port", option.Values{"port": strconv.Itoa(freePort(t)), "host": "127.0.0.1", "socket": "null"}, meter.Connection},
		{"a missing database", "dbname", option.Values{"dbname": "sledge_nowhere"}, meter.Connection},
	} {
		t.Run(tt.name, func(t suite.T) {
			if !s.describes(tt.option) {
				t.Skipf("%s has no option %s", s.d.Title, tt.option)
			}
			changes := option.Values{}
			for name, value := range tt.changes {
				if s.describes(name) {
					changes[name] = value
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			session, err := s.d.Sessions.Connect(ctx, s.options(t, changes), database.Owner)
			if err == nil {
				_ = session.Close()
				if s.unknown && tt.class == meter.Permission {
					t.Skipf("the server accepts any login")
				}
				t.Fatal("connect: got no error")
			}
			text := err.Error()
			if name := s.names.Of(tt.option); !strings.Contains(text, name) || !strings.Contains(text, s.d.Title) {
				t.Errorf("got %q, want it to name %s and the option %s", text, s.d.Title, name)
			}
			if password := s.values["password"]; strings.Contains(text, wrong) ||
				(len(password) > 6 && strings.Contains(text, password)) {
				t.Errorf("the error shows a password: %q", text)
			}
			if strings.Contains(text, "\n") {
				t.Errorf("the error has several lines: %q", text)
			}
			if got, want := errors.Is(err, database.ErrMissing) && !errors.Is(err, database.ErrNoAccount), tt.option == "dbname"; got != want {
				t.Errorf("%q means a missing database: got %v, want %v", text, got, want)
			}
			if class := s.d.Sessions.Classify(err); class != tt.class {
				t.Errorf("got class %v of %q, want %v", class, text, tt.class)
			}
		})
	}
}

// freePort returns a port without a listener.
func freePort(t suite.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}
