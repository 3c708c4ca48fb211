package metrics

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sledge/internal/privatefile"
)

// Server serves the metrics of a registry under /metrics to clients that have a token.
type Server struct {
	*Registry
	Listener net.Listener

	http  http.Server
	ended chan struct{}

	mu      sync.Mutex
	scrapes [2]time.Time  // the last two, the newest first
	scraped chan struct{} // closed and replaced by each scrape
}

// Serve serves the registry in the background until Close.
func Serve(listener net.Listener, r *Registry, token string) *Server {
	s := &Server{Registry: r, Listener: listener, ended: make(chan struct{}), scraped: make(chan struct{})}
	metrics := r.Handler()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(strings.TrimSpace(got)), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token as Authorization: Bearer TOKEN; sledge run prints the name of the file that has it", http.StatusUnauthorized)
			return
		}
		metrics.ServeHTTP(w, r)
		s.note()
	})
	s.http = http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(nowhere{}, "", 0),
	}
	go func() {
		defer close(s.ended)
		_ = s.http.Serve(listener) // ends with Close
	}()
	return s
}

// nowhere discards lines of a log.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// note notes that a client has read the metrics.
func (s *Server) note() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scrapes = [2]time.Time{time.Now(), s.scrapes[0]}
	close(s.scraped)
	s.scraped = make(chan struct{})
}

// AwaitLast waits until a client reads the metrics after a time, such as the end of a run. It waits as
// long as the client needs for its next scrape, at most longestWait, and not at all if no client has
// read the metrics. It passes the time to say before it waits.
func (s *Server) AwaitLast(ctx context.Context, after time.Time, say func(time.Duration)) {
	s.mu.Lock()
	scrapes, next := s.scrapes, s.scraped
	s.mu.Unlock()
	if scrapes[0].IsZero() || scrapes[0].After(after) {
		return
	}
	every := usualWait
	if !scrapes[1].IsZero() {
		every = min(scrapes[0].Sub(scrapes[1])+time.Second, longestWait)
	}
	wait := time.Until(scrapes[0].Add(every))
	if wait <= 0 {
		return
	}
	say(wait)
	select {
	case <-next:
	case <-ctx.Done():
	case <-time.After(wait):
	}
}

const (
	longestWait = 2 * time.Minute
	usualWait   = 15 * time.Second // for a client whose interval is not known yet
)

// Close ends the server. Responses that are being sent have a second.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.ended
	return err
}

// Token returns the token for metrics in a folder and the name of its file. It creates the token the
// first time.
func Token(folder string) (token, path string, err error) {
	path, err = filepath.Abs(filepath.Join(folder, "metrics-token"))
	if err != nil {
		return "", "", err
	}
	kept, err := os.ReadFile(path)
	if token = strings.TrimSpace(string(kept)); err == nil && token != "" {
		return token, path, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", path, err
	}
	token = rand.Text()
	return token, path, privatefile.Replace(path, []byte(token+"\n"))
}
