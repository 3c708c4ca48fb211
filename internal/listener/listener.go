// Package listener identifies the server at an address by its first bytes, so that a user who
// confused two servers gets a clear error instead of a driver's protocol error. It knows no driver.
package listener

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
	"unicode"
)

// Answer describes the server at an address.
type Answer struct {
	What   string // for example "a MariaDB server (10.11.19)"; empty if unknown
	Choose string // the --db to use for it; empty if there is none

	// OnlyTLS means that the server sends nothing before a TLS handshake, so it may be any server
	// that requires TLS.
	OnlyTLS bool
}

// PostgreSQL, MariaDB, MySQL and Redis are the values of Choose.
const (
	PostgreSQL = "pg"
	MariaDB    = "maria"
	MySQL      = "mysql"
	Redis      = "redis"
)

// Mistake returns the message for a server that is not the chosen database. host and port are the
// names of the options to check.
func (a Answer) Mistake(address, title, host, port string) string {
	if a.Choose == "" {
		return fmt.Sprintf("the server on %s is %s, not a %s server: check %s and %s", address, a.What, title, host, port)
	}
	return fmt.Sprintf("the server on %s is %s, not %s: use --db %s (in the console: dbset db %[4]s), or check %s",
		address, a.What, title, a.Choose, port)
}

// Attempt connects with a time limit, and identifies the server if it is not the expected one.
type Attempt struct {
	Network, Address string
	Limit            time.Duration
	Expected         func(Answer) bool // whether the server may be the chosen one
	FromServer       func(error) bool  // whether an error came from the chosen database
}

// patience is the time after which a server is identified over a second connection, if connecting
// takes longer. Connecting to the right server needs only a few round trips.
const patience = 2 * time.Second

// Do calls connect and cancels it after the limit, or as soon as a different server is
// identified. The Answer describes the server; it is empty if unknown.
func (a Attempt) Do(ctx context.Context, connect func(context.Context) error) (Answer, error) {
	limited, cancel := context.WithTimeout(ctx, a.Limit)
	defer cancel()
	asking, stop := context.WithCancel(limited)
	defer stop()
	asked := make(chan Answer, 1)
	go func() {
		asked <- a.ask(asking, cancel)
	}()
	err := connect(limited)
	stop()
	answer := <-asked
	switch {
	case err == nil || a.FromServer(err):
		return Answer{}, err
	case answer.What != "": // ask cancelled connect, not the caller
		return answer, errOther
	case answer.What == "" && limited.Err() == nil:
		if answer = Identify(limited, a.Network, a.Address); a.Expected(answer) {
			answer = Answer{}
		}
	}
	if answer.What == "" && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		err = &SilentError{a.Limit, err}
	}
	return answer, err
}

// errOther replaces connect's error, which would look as if the caller had cancelled.
var errOther = errors.New("another server answers")

// ask identifies the server after patience, and calls callOff to cancel connecting if it is a
// different one.
func (a Attempt) ask(ctx context.Context, callOff func()) Answer {
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return Answer{}
	case <-wait.C:
	}
	answer := Identify(ctx, a.Network, a.Address)
	if answer.What == "" || a.Expected(answer) {
		return Answer{}
	}
	callOff()
	return answer
}

// SilentError reports that there was no response within the limit.
type SilentError struct {
	limit time.Duration
	err   error
}

// Error names the likely causes.
func (e *SilentError) Error() string {
	return fmt.Sprintf("no response within %v: the server is overloaded or hangs, or something else listens there", e.limit)
}

// Unwrap returns the driver's error.
func (e *SilentError) Unwrap() error { return e.err }

// step is the time limit of each probe.
const step = time.Second

// Identify identifies the server at an address. First it waits for a greeting, as MySQL and SSH
// send; then it sends PostgreSQL's SSLRequest, then a Redis PING, and last TLS and HTTP. It
// takes five seconds at most.
func Identify(ctx context.Context, network, address string) Answer {
	for _, ask := range []func(net.Conn) Answer{greeting, encryption, ping, overTLS, http} {
		answer, reached := askOn(ctx, network, address, ask)
		if answer.What != "" || !reached {
			return answer
		}
	}
	return Answer{}
}

// askOn runs one probe on its own connection.
func askOn(ctx context.Context, network, address string, ask func(net.Conn) Answer) (answer Answer, reached bool) {
	ctx, cancel := context.WithTimeout(ctx, step)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return Answer{}, false
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	return ask(conn), true
}

// greeting reads a server's unsolicited greeting.
func greeting(conn net.Conn) Answer {
	words, err := read(conn)
	switch {
	case bytes.HasPrefix(words, []byte("SSH-")):
		return Answer{What: "an SSH server"}
	case bytes.HasPrefix(words, xProtocol):
		return Answer{What: "MySQL's X protocol, which Sledge does not speak (its classic protocol is usually on port 3306)"}
	case len(words) > 5 && words[3] == 0 && (words[4] == 10 || words[4] == 255):
		return mySQL(words[4:])
	case isRedis(words):
		return Answer{What: "a Redis server", Choose: Redis}
	case len(words) > 0:
		return Answer{What: fmt.Sprintf("a server that greets with %q", firstLine(words))}
	case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
		return Answer{What: "something that closes each connection at once"}
	}
	return Answer{}
}

// xProtocol is the first notice of MySQL's X protocol.
var xProtocol = []byte{5, 0, 0, 0, 11, 8, 5, 26, 0}

// mySQL parses the greeting of MySQL or MariaDB, or the error in its place. Older MariaDB servers
// prefix their version with 5.5.5- for old replicas.
func mySQL(words []byte) Answer {
	if words[0] != 10 {
		return Answer{What: "a MySQL or MariaDB server", Choose: MySQL}
	}
	version, _, _ := strings.Cut(string(words[1:]), "\x00")
	number, _, _ := strings.Cut(strings.TrimPrefix(version, "5.5.5-"), "-")
	number = firstLine([]byte(number))
	if strings.Contains(version, "MariaDB") {
		return Answer{What: fmt.Sprintf("a MariaDB server (%s)", number), Choose: MariaDB}
	}
	return Answer{What: fmt.Sprintf("a MySQL server (%s)", number), Choose: MySQL}
}

// encryption sends PostgreSQL's SSLRequest (manual, "Message Formats"), to which its server
// replies with one letter.
func encryption(conn net.Conn) Answer {
	request := binary.BigEndian.AppendUint32(nil, 8)
	request = binary.BigEndian.AppendUint32(request, 80877103)
	if _, err := conn.Write(request); err != nil {
		return Answer{}
	}
	switch words, _ := read(conn); {
	case len(words) == 1 && (words[0] == 'S' || words[0] == 'N'), len(words) > 4 && words[0] == 'E' && words[1] == 0:
		return Answer{What: "a PostgreSQL server", Choose: PostgreSQL}
	case bytes.HasPrefix(words, []byte("HTTP/")):
		return Answer{What: "an HTTP server"}
	}
	return Answer{}
}

// ping sends a Redis PING.
func ping(conn net.Conn) Answer {
	if _, err := io.WriteString(conn, "PING\r\n"); err != nil {
		return Answer{}
	}
	switch words, _ := read(conn); {
	case isRedis(words):
		return Answer{What: "a Redis server", Choose: Redis}
	case bytes.HasPrefix(words, []byte("HTTP/")):
		return Answer{What: "an HTTP server"}
	}
	return Answer{}
}

// isRedis reports whether words are Redis's reply to PING, or its error for clients it refuses.
func isRedis(words []byte) bool {
	for _, answer := range []string{"+PONG\r\n", "-NOAUTH ", "-NOPERM ", "-DENIED Redis", "-LOADING Redis", "-BUSY Redis", "-MASTERDOWN ", "-ERR max number of clients"} {
		if bytes.HasPrefix(words, []byte(answer)) {
			return true
		}
	}
	return false
}

// overTLS starts TLS.
func overTLS(conn net.Conn) Answer {
	err := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}).Handshake() // no data is sent over the connection
	other, isOther := errors.AsType[tls.RecordHeaderError](err)
	_, isAlert := errors.AsType[tls.AlertError](err)
	switch {
	case isOther && bytes.HasPrefix(other.RecordHeader[:], []byte("HTTP")):
		return Answer{What: "an HTTP server"}
	case err == nil || isAlert || err != nil && strings.HasPrefix(err.Error(), "remote error: tls"):
		return Answer{What: "a server that speaks only TLS", OnlyTLS: true}
	}
	return Answer{}
}

func http(conn net.Conn) Answer {
	if _, err := io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		return Answer{}
	}
	if words, _ := read(conn); bytes.HasPrefix(words, []byte("HTTP/")) {
		return Answer{What: "an HTTP server"}
	}
	return Answer{}
}

// read reads the first bytes.
func read(conn net.Conn) ([]byte, error) {
	words := make([]byte, 512)
	n, err := conn.Read(words)
	return words[:n], err
}

// firstLine returns the printable beginning of the first line.
func firstLine(words []byte) string {
	line, _, _ := bytes.Cut(words, []byte("\n"))
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, string(line[:min(len(line), 40)]))
	return strings.TrimSpace(text)
}
