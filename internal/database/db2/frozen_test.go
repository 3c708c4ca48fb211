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

// Derby ends no call, so that the library gives up the connection as soon as one is cancelled. A
// connection that is broken without that is what Db2 would need, which hears of a cancellation only
// if it is alive.
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
			t.Errorf("got %v, want the connection gone", err)
		}
		_ = s.Close() // its connection is gone
	case <-time.After(8 * time.Second):
		t.Fatal("the call goes on over a broken connection")
	}
}

// Sessions that are opened at once have sockets of their own, and who breaks one harms no other.
func TestABrokenConnectionIsOneAlone(t *testing.T) {
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
		_ = s.Close() // half of them are gone
	}
}
