package listener_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/listener"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// listen calls f for each connection, and returns the address.
func listen(t *testing.T, f func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			go f(conn)
		}
	}()
	return l.Addr().String()
}

func silent(net.Conn) {}

func says(words string) func(net.Conn) {
	return func(c net.Conn) { _, _ = io.WriteString(c, words) }
}

func TestIdentify_Greetings(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close) // the tests below run in parallel
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(encrypted.Close)
	address := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	for _, tt := range []struct {
		name, address, what, choose string
	}{
		{"SSH", listen(t, says("SSH-2.0-OpenSSH_9.2p1 Debian\r\n")), "an SSH server", ""},
		{"mail", listen(t, says("220 mx ESMTP\x1b[31m\r\n")), `"220 mx ESMTP[31m"`, ""},
		{"the X protocol", listen(t, says("\x05\x00\x00\x00\x0b\x08\x05\x1a\x00")), "X protocol", ""},
		{"MySQL 8", listen(t, says("J\x00\x00\x00\x0a8.0.36\x00rest")), "a MySQL server (8.0.36)", "mysql"},
		{"a MariaDB behind an old version", listen(t, says("J\x00\x00\x00\x0a5.5.5-10.4.1-MariaDB-log\x00rest")), "a MariaDB server (10.4.1)", "maria"},
		{"a Redis in protected mode", listen(t, says("-DENIED Redis is running in protected mode\r\n")), "a Redis server", "redis"},
		{"a blocked host", listen(t, says("D\x00\x00\x00\xffj\x04Host is not allowed")), "a MySQL or MariaDB server", "mysql"},
		{"a server that hangs up", listen(t, func(c net.Conn) { c.Close() }), "closes each connection", ""},
		{"HTTP", address(plain), "an HTTP server", ""},
		{"HTTPS", address(encrypted), "only TLS", ""},
		{"silence", listen(t, silent), "", ""},
		{"nobody", "127.0.0.1:1", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := listener.Identify(t.Context(), "tcp", tt.address)
			if tt.what == "" && got.What != "" || !strings.Contains(got.What, tt.what) || got.Choose != tt.choose {
				t.Errorf("got %+v, want %q and %q", got, tt.what, tt.choose)
			}
		})
	}
}

func TestIdentify_RealServers(t *testing.T) {
	for database, want := range map[string]listener.Answer{
		"postgresql": {What: "a PostgreSQL server", Choose: "pg"},
		"mariadb":    {What: "a MariaDB server (", Choose: "maria"},
		"mysql":      {What: "a MySQL server (", Choose: "mysql"},
		"redis":      {What: "a Redis server", Choose: "redis"},
	} {
		t.Run(database, func(t *testing.T) {
			s := testserver.Open(t, database)
			got := listener.Identify(t.Context(), "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
			if !strings.HasPrefix(got.What, want.What) || got.Choose != want.Choose {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// connecting calls Attempt.Do with a client that expects PostgreSQL and waits until it is
// cancelled.
func connecting(t *testing.T, address string, limit time.Duration) (listener.Answer, error) {
	t.Helper()
	c := listener.Attempt{
		Network: "tcp", Address: address, Limit: limit,
		Expected:   func(a listener.Answer) bool { return a.Choose == listener.PostgreSQL },
		FromServer: func(error) bool { return false },
	}
	return c.Do(t.Context(), func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
}

func TestAttempt_CancelsAClientOfAnotherServer(t *testing.T) {
	const never = time.Hour
	answer, err := connecting(t, listen(t, says("SSH-2.0-OpenSSH\r\n")), never)
	if err == nil || errors.Is(err, context.Canceled) || answer.What != "an SSH server" {
		t.Errorf("got %+v and %v, want an SSH server and an error other than the caller's cancellation", answer, err)
	}
}

func TestAttempt_EndsAtTheLimit(t *testing.T) {
	var silence *listener.SilentError
	answer, err := connecting(t, listen(t, silent), 50*time.Millisecond)
	if !errors.As(err, &silence) || !strings.Contains(err.Error(), "no response within 50ms") || answer.What != "" {
		t.Errorf("got %+v and %v, want no response within 50ms", answer, err)
	}
}

func TestAttempt_ReportsTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := listener.Attempt{Network: "tcp", Address: listen(t, silent), Limit: time.Hour, FromServer: func(error) bool { return false }, Expected: func(listener.Answer) bool { return true }}
	if _, err := c.Do(ctx, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
