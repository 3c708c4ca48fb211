package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite"
)

// locked returns a session that holds a lock on row 1 of a new table.
func (s *tester) locked(t suite.T, table string) database.Session {
	t.Helper()
	s.counters(t, table)
	holder := s.connect(t)
	if err := holder.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	mustExec(t, holder, "UPDATE "+table+" SET n = 1 WHERE id = 1")
	t.Cleanup(func() {
		if err := holder.Rollback(context.Background()); err != nil {
			t.Errorf("rollback: %v", err)
		}
	})
	return holder
}

func (s *tester) testContext(t suite.T) {
	session := s.connect(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.Query(over, s.one, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("query in a context that is over: got %v, want %v", err, context.Canceled)
	}
	s.locked(t, "sledge_test_context")
	session = s.connect(t)
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	err := within(t, 5*time.Second, "a call whose context is over", func() error {
		_, err := session.Query(short, cmp.Or(s.endless, "UPDATE sledge_test_context SET n = 2 WHERE id = 1"), 0)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a blocked call whose context ended: got %v, want %v", err, context.DeadlineExceeded)
	}
}

func (s *tester) testInterrupt(t suite.T) {
	holder := s.locked(t, "sledge_test_interrupt")
	in := struct {
		ID int64 `sql:"id"`
	}{1}
	for _, tt := range []struct {
		name  string
		after time.Duration // how long the call has been waiting
	}{
		{"while a call waits", 300 * time.Millisecond},
		{"before the call", 0},
	} {
		t.Run(tt.name, func(t suite.T) {
			session, err := s.d.Connect(t.Context(), s.options(t, nil), database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			update := s.prepare(t, session, "update", cmp.Or(s.endless, "UPDATE sledge_test_interrupt SET n = 2 WHERE id = :id"), &in, nil)
			if tt.after == 0 {
				session.Interrupt()
			} else {
				time.AfterFunc(tt.after, session.Interrupt)
			}
			start := time.Now()
			err = within(t, patience, "an interrupted call", func() error {
				// Virtual users call with a context that is never cancelled.
				_, err := update.Run(context.Background(), nil)
				return err
			})
			if took := time.Since(start); err == nil || took > tt.after+2*time.Second {
				t.Errorf("got %v after %v, want an error within two seconds", err, took)
			}
			if class := s.d.Classify(err); class != meter.Connection {
				t.Errorf("got class %v of %v, want %v", class, err, meter.Connection)
			}
			// Nothing but Close is promised to work, but nothing may hang either.
			_ = within(t, 5*time.Second, "rollback after an interrupt", func() error { return session.Rollback(context.Background()) })
			_ = within(t, 5*time.Second, "close after an interrupt", session.Close)
			session.Interrupt() // is allowed at any time
		})
	}
	mustExec(t, holder, "UPDATE sledge_test_interrupt SET n = 3 WHERE id = 1")
}

func (s *tester) testCancel(t suite.T) {
	s.locked(t, "sledge_test_cancel")
	session := s.connect(t)
	one := func() {
		t.Helper()
		// A virtual user cannot know whether the cancellation came too late for the one before.
		_ = session.Exec(context.Background(), s.one)
		if got, err := session.Query(context.Background(), s.one, 0); err != nil || len(got.Rows) != 1 || got.Rows[0][0] != "1" {
			t.Fatalf("the statement after it: got %v, %v; want 1", got.Rows, err)
		}
	}
	for range 3 {
		cancelled := make(chan error, 1)
		time.AfterFunc(300*time.Millisecond, func() { cancelled <- session.Cancel(t.Context()) })
		start := time.Now()
		err := within(t, patience, "a cancelled statement", func() error {
			_, err := session.Query(context.Background(), cmp.Or(s.endless, "UPDATE sledge_test_cancel SET n = 2 WHERE id = 1"), 0)
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
		t.Errorf("cancel where nothing is under way: %v", err)
	}
	one()
	session.Interrupt()
	if _, err := session.Query(context.Background(), s.one, 0); err == nil {
		t.Error("a session that was cancelled cannot be interrupted")
	}
}

// testDeadlock has two sessions update two rows in opposite order. The one that
// gets through waits for the other, so that a database that lets only one
// transaction write at a time shows its refusal, too.
func (s *tester) testDeadlock(t suite.T) {
	s.counters(t, "sledge_test_deadlock")
	type result struct{ err error }
	var sessions [2]database.Session
	var half, ended [2]chan struct{}
	results := make(chan result, 2)
	for i := range sessions {
		sessions[i] = s.connect(t)
		half[i], ended[i] = make(chan struct{}), make(chan struct{})
	}
	deadlock := func(me int) error {
		session, other := sessions[me], 1-me
		defer close(ended[me])
		if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
			return err
		}
		const update = "UPDATE sledge_test_deadlock SET n = n + 1 WHERE id = %d"
		err := session.Exec(t.Context(), fmt.Sprintf(update, 1+me))
		close(half[me])
		if err == nil {
			wait(half[other], time.Second)
			err = session.Exec(t.Context(), fmt.Sprintf(update, 1+other))
		}
		if err != nil {
			return errors.Join(err, session.Rollback(t.Context()))
		}
		wait(ended[other], patience/2)
		return session.Commit(t.Context())
	}
	for i := range sessions {
		go func() { results <- result{deadlock(i)} }()
	}
	failed := 0
	for range sessions {
		select {
		case r := <-results:
			if r.err == nil {
				continue
			}
			failed++
			if class := s.d.Classify(r.err); !class.Retryable() {
				t.Errorf("got class %v of %v, want one that is retryable", class, r.err)
			}
		case <-time.After(patience):
			t.Fatalf("the deadlock was not resolved within %v", patience)
		}
	}
	if failed != 1 && (failed != 2 || s.endless == "") {
		t.Errorf("%d of the two transactions failed, want 1", failed)
	}
	wantValue(t, s.connect(t), "SELECT SUM(n) FROM sledge_test_deadlock", strconv.Itoa(2*(2-failed)))
}

func wait(c <-chan struct{}, limit time.Duration) {
	select {
	case <-c:
	case <-time.After(limit):
	}
}

func (s *tester) testConnectErrors(t suite.T) {
	const wrong = "wrong-password-7541"
	for _, tt := range []struct {
		name    string
		option  string // without it the case means nothing to this database
		changes option.Values
		class   meter.Class
	}{
		{"a wrong password", "password", option.Values{"password": wrong}, meter.Permission},
		{"a user who is not there", "user", option.Values{"user": "sledge_nobody", "password": wrong}, meter.Permission},
		{"a server that is not there", "port", option.Values{"port": strconv.Itoa(freePort(t)), "host": "127.0.0.1", "socket": "null"}, meter.Connection},
		{"a database that is not there", "dbname", option.Values{"dbname": "sledge_nowhere"}, meter.Connection},
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
			session, err := s.d.Connect(ctx, s.options(t, changes), database.Owner)
			if err == nil {
				_ = session.Close()
				t.Fatal("it connected")
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
			if got, want := errors.Is(err, database.ErrMissing), tt.option == "dbname"; got != want {
				t.Errorf("%q is ErrMissing: got %v, want %v", text, got, want)
			}
			if class := s.d.Classify(err); class != tt.class {
				t.Errorf("got class %v of %q, want %v", class, text, tt.class)
			}
		})
	}
}

// freePort returns a port on which nothing listens.
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
