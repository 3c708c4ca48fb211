//go:build linux && db2

package db2

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

// Derby cannot cancel a call, so the library closes the connection as soon as a call is cancelled.
// A frozen Db2 server would not receive the cancellation, so the session must break the connection
// itself; the second part tests that.
func TestInterrupt_LeavesAFrozenServer(t *testing.T) {
	server := testserver.Open(t, "derby", testserver.Own())
	databasetest.Frozen(t, onDerby(), server.Values(), server.Freeze, server.Thaw)

	o := newOptions(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, server.Values(), o); err != nil {
		t.Fatal(err)
	}
	s, err := connect(t.Context(), o, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	server.Freeze()
	defer server.Thaw()
	called := make(chan error, 1)
	go func() {
		_, err := s.Query(context.Background(), "SELECT 1 FROM sysibm.sysdummy1", 0)
		called <- err
	}()
	select {
	case err := <-called:
		t.Fatalf("the server still answered: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	s.(*session).conn.Break()
	select {
	case err := <-called:
		if err == nil || Classify(err) != meter.Connection {
			t.Errorf("got %v, want a lost connection", err)
		}
		_ = s.Close() // the connection is lost
	case <-time.After(8 * time.Second):
		t.Fatal("the call still waits on a broken connection")
	}
}

// Sessions that are opened concurrently have different sockets, and breaking one does not affect
// the others.
func TestBreak_AffectsOneConnection(t *testing.T) {
	o := newOptions(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, testserver.Open(t, "derby").Values(), o); err != nil {
		t.Fatal(err)
	}
	list := make([]*session, 24)
	var connecting errgroup.Group
	for i := range list {
		connecting.Go(func() error {
			s, err := connect(t.Context(), o, database.Owner)
			if err == nil {
				list[i] = s.(*session)
			}
			return err
		})
	}
	if err := connecting.Wait(); err != nil {
		t.Fatal(err)
	}
	broken := func(s *session) bool {
		_, err := s.Query(t.Context(), "SELECT 1 FROM sysibm.sysdummy1", 0)
		return err != nil
	}
	for i := range list {
		if i%2 == 0 {
			list[i].conn.Break()
		}
	}
	for i, s := range list {
		if got, want := broken(s), i%2 == 0; got != want {
			t.Errorf("session %d of %d: broken is %t, want %t", i, len(list), got, want)
		}
		_ = s.Close() // half of them are broken
	}
}
