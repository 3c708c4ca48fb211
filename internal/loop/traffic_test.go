package loop

import (
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// tallied counts the bytes that a server reads and writes.
type tallied struct {
	net.Conn
	read, written *atomic.Int64
}

func (c tallied) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func (c tallied) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// Requests and responses have two parts each.
func TestTraffic_CountsBytesAndRoundTrips(t *testing.T) {
	schedulers(t, func(t *testing.T, s Scheduler) {
		address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
			request := make([]byte, 30)
			for {
				if _, err := io.ReadFull(conn, request); err != nil {
					return
				}
				for _, part := range []int{100, 23} {
					if _, err := conn.Write(make([]byte, part)); err != nil {
						return
					}
				}
			}
		})
		ctx, list := Gather(t.Context())
		conn, err := Dial(ctx, new(net.Dialer), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		calls := func(n int) {
			for range n {
				for _, part := range []int{10, 20} {
					if _, err := conn.Write(make([]byte, part)); err != nil {
						t.Error(err)
					}
				}
				if _, err := io.ReadFull(conn, make([]byte, 123)); err != nil {
					t.Error(err)
				}
			}
		}
		want := func(n int64) {
			if got := list.Traffic(); got != (Traffic{Sent: 30 * n, Received: 123 * n, RoundTrips: n}) {
				t.Errorf("after %d round trips: got %+v", n, got)
			}
		}
		want(0)
		calls(2) // before a task adopts the connection
		want(2)
		s.Go(func(task Task) {
			if err := task.Adopt(list); err != nil {
				t.Error(err)
			}
			before := list.Traffic()
			calls(5)
			want(7)
			if got := list.Traffic().Since(before); got.RoundTrips != 5 || got.Sent != 150 || got.Received != 615 {
				t.Errorf("five round trips: got %+v", got)
			}
		})
		s.Run()
		calls(1)
		want(8)
	})
	if got := (*Connections)(nil).Traffic(); got != (Traffic{}) {
		t.Errorf("no connections: got %+v, want zero", got)
	}
}

func TestTraffic_CountsEncryptedBytes(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	schedulers(t, func(t *testing.T, s Scheduler) {
		var read, written atomic.Int64
		ended := make(chan struct{})
		address := serve(t, "tcp", "127.0.0.1:0", func(conn net.Conn) {
			defer close(ended)
			echo(tls.Server(tallied{conn, &read, &written}, &tls.Config{Certificates: certificate.TLS.Certificates}))
		})
		ctx, list := Gather(t.Context())
		conn, err := Dial(ctx, new(net.Dialer), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		secured := tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
		s.Go(func(task Task) {
			if err := task.Adopt(list); err != nil {
				t.Error(err)
			}
			converse(t, secured, 20)
		})
		s.Run()
		if err := secured.Close(); err != nil {
			t.Error(err)
		}
		<-ended
		if got := list.Traffic(); got.Sent != read.Load() || got.Received != written.Load() || got.RoundTrips < 20 {
			t.Errorf("got %+v, want the %d bytes that the server has read and the %d bytes that it has written", got, read.Load(), written.Load())
		}
	})
}
