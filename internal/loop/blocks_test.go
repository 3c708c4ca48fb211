package loop

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	if !Supported() {
		t.Skip("there are no event loops on this system")
	}
	address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) { echo(conn) })
	ask := func(conn net.Conn) error {
		if _, err := conn.Write([]byte("x")); err != nil {
			return err
		}
		_, err := conn.Read(make([]byte, 1))
		return err
	}
	for _, tt := range []struct {
		name string
		call func(conn net.Conn) error
		want string
	}{
		{"the caller", ask, ""},
		{"a goroutine", func(conn net.Conn) error {
			answered := make(chan error)
			go func() { answered <- ask(conn) }()
			return <-answered
		}, "reads in goroutines of its own"},
		{"no goroutine", func(net.Conn) error { return nil }, "does not read from its connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, list := Gather(context.Background())
			conn, err := Dial(ctx, new(net.Dialer), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			why, err := list.Blocks(func() error { return tt.call(conn) })
			if err != nil || !strings.Contains(why, tt.want) || (why == "") != (tt.want == "") {
				t.Errorf("got %q, %v, want %q", why, err, tt.want)
			}
		})
	}
	_, none := Gather(context.Background())
	if why, err := none.Blocks(func() error { return errors.New("was asked") }); err != nil || !strings.Contains(why, "no connection") {
		t.Errorf("a session without connections: got %q, %v, want that it has no connection", why, err)
	}
}

// A call over a session without connections would block all other tasks.
func TestAdopt_RefusesASessionWithoutConnections(t *testing.T) {
	if !Supported() {
		t.Skip("there are no event loops on this system")
	}
	s := eventLoops(t, 1)
	s.Go(func(task Task) {
		if err := task.Adopt(new(Connections)); err == nil || !strings.HasPrefix(err.Error(), "internal error: ") {
			t.Errorf("got %v, want an internal error", err)
		}
	})
	s.Run()
}
