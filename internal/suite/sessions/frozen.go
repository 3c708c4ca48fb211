package sessions

import (
	"context"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite"
)

// Frozen tests that calls to a frozen server, such as on a hanging machine or behind a broken
// network, can be interrupted: Interrupt, the interrupted call, Rollback and Close must return in
// time. freeze and thaw freeze and thaw the server.
func Frozen(t suite.T, d *database.Database, values option.Values, freeze, thaw func()) {
	s := Subject{Database: d, Values: values}.tester(t)
	if d.Container.Create != nil {
		if err := d.Container.Create(t.Context(), s.options(t, nil), func(job.Event) {}); err != nil {
			t.Fatal(err)
		}
	}
	session, err := d.Sessions.Connect(t.Context(), s.options(t, nil), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	freeze()
	defer thaw()
	called := make(chan error, 1)
	go func() {
		_, err := session.Query(context.Background(), s.query(t, "one").Text, 0)
		called <- err
	}()
	// Without an interrupt, neither a response nor an error may arrive.
	select {
	case err := <-called:
		t.Fatalf("the frozen server answered: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	const limit = 8 * time.Second // two tries to reach the server, and a busy machine
	start := time.Now()
	session.Interrupt()
	err = within(t, limit, "an interrupted call", func() error { return <-called })
	if err == nil || d.Sessions.Classify(err) != meter.Connection {
		t.Errorf("got %v of class %v, want an error of class %v", err, d.Sessions.Classify(err), meter.Connection)
	}
	_ = within(t, limit, "rollback", func() error { return session.Rollback(context.Background()) })
	_ = within(t, limit, "close", session.Close)
	if took := time.Since(start); took > limit {
		t.Errorf("rollback and close took %v, want at most %v", took, limit)
	}
}
