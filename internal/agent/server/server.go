package server

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"sledge/internal/agent"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/web/secret"
)

// Server is an agent.
type Server struct {
	identity Identity
	version  string
	begun    time.Time // times of the agent count from then
	now      func() time.Time
	history  history
	facts    facts
	changes  changes
	open     chan struct{} // holds an element for each open connection, and for the next one
}

// New returns an agent that only observes. version is Sledge's.
func New(identity Identity, version string) *Server {
	s := &Server{identity: identity, version: version, now: time.Now, open: make(chan struct{}, mostConnections)}
	s.changes.folder = identity.folder
	s.begun, s.history.start = s.now(), secret.Random(12)
	return s
}

// Limits of requests and connections.
const (
	mostConnections = 512
	mostStreams     = 4 // requests at a time on a connection
	headerBytes     = 4 << 10
	bodyBytes       = 4 << 10 // that a client may send before something reads it: most requests have no body
	requestTime     = 10 * time.Second
	idleTime        = 30 * time.Second
	endTime         = 2 * time.Second
)

// Serve samples the machine and answers requests until ctx ends. It closes the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sampling sync.WaitGroup
	defer sampling.Wait()
	defer cancel()
	sampling.Go(func() { s.sample(ctx) })
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	config := s.identity.TLS.Clone()
	config.MinVersion = tls.VersionTLS13
	server := &http.Server{
		Handler: s, TLSConfig: config, Protocols: protocols,
		ReadHeaderTimeout: requestTime, WriteTimeout: requestTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		HTTP2:    &http.HTTP2Config{MaxConcurrentStreams: mostStreams, MaxReceiveBufferPerStream: bodyBytes, MaxReceiveBufferPerConnection: 64 << 10, WriteByteTimeout: requestTime},
		ErrorLog: log.New(io.Discard, "", 0), // errors of strangers' connections
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeTLS(limited{listener, s.open}, "", "") }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	over, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	if err := server.Shutdown(over); err != nil {
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// limited is a listener with a limit of open connections. A connection above the limit waits to be
// accepted.
type limited struct {
	net.Listener
	free chan struct{}
}

// Accept implements net.Listener.
func (l limited) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: conn, release: sync.OnceFunc(func() { <-l.free })}, nil
}

type limitedConn struct {
	net.Conn
	release func()
}

// Close implements net.Conn.
func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// ServeHTTP implements http.Handler. It answers only requests with a token.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	received := s.now()
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	is := func(hash string) bool {
		return subtle.ConstantTimeCompare([]byte(secret.Hash(token)), []byte(hash)) == 1
	}
	may := is(s.identity.changesHash)
	switch {
	case !may && !is(s.identity.tokenHash):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "send the token of the agent as Authorization: Bearer TOKEN", http.StatusUnauthorized)
		return
	case s.change(w, r, may):
		return
	case r.URL.Path != agent.Path:
		http.Error(w, "an agent has only "+agent.Path, http.StatusNotFound)
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "an agent only answers GET there", http.StatusMethodNotAllowed)
		return
	}
	query := r.URL.Query()
	after, err := strconv.ParseInt(query.Get("after"), 10, 64)
	if err != nil && query.Has("after") {
		http.Error(w, "after is not the number of a reading", http.StatusBadRequest)
		return
	}
	answer, err := s.answer(received, query.Get("start"), after, may)
	if err != nil {
		http.Error(w, "the answer cannot be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // the client has gone
}

// pollsEach is the number of polls in a second that an agent asks its clients for: with more of them,
// each polls less often, so that they do not load the machine.
const pollsEach = 5

// answer encodes a document. The readings are encoded already.
func (s *Server) answer(received time.Time, start string, after int64, may bool) ([]byte, error) {
	d := agent.Document{
		Schema: agent.Schema, Version: s.version, Start: s.history.start, Received: received.Sub(s.begun).Nanoseconds(),
		Pause: (time.Duration(len(s.open)) * time.Second / pollsEach).Nanoseconds(),
	}
	if may {
		d.Allows = s.changes.names()
	}
	var readings [][]byte
	if start == s.history.start {
		d.Last, readings = s.history.after(after)
	} else {
		d.Last, _ = s.history.after(after)
		host := s.facts.read(s.now)
		d.Host = &host
	}
	now := s.now()
	d.Sent, d.Clock = now.Sub(s.begun).Nanoseconds(), now.UTC()
	return d.With(readings)
}

// facts are the facts of the machine. They are read again only after a while, because reading them
// takes milliseconds.
type facts struct {
	mu   sync.Mutex
	host job.Host
	at   time.Time
}

// factsLast is the time for which facts are not read again.
const factsLast = 10 * time.Second

func (f *facts) read(now func() time.Time) job.Host {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.IsZero() || now().Sub(f.at) > factsLast {
		f.host, f.at = host.This(), now()
	}
	return f.host
}
