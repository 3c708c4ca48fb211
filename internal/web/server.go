// Package web serves the web application: it decides who may come in, what they may do, and
// sees to it that answers are safe to show. It knows neither the API nor the pages that it
// hands requests on to, and they know nothing of logins.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// Config says what a server serves, and to whom. The zero value of a field is its default,
// but Listener, Folder and API must be given.
type Config struct {
	// Listener is where it listens. Whether others may reach it has been asked before, of
	// Reachable.
	Listener net.Listener

	// Folder holds the files of users, sessions and what was done: see Users.
	Folder string

	// API gets each request whose path begins with /api/, without the base path, from
	// somebody who may make it.
	API http.Handler

	// Private lists paths of the API that take the role Act even to read what is below them.
	Private []string

	// Pages are the built pages, with index.html at their root; nil where none were built.
	Pages fs.FS

	// Others get the requests for paths of their own, "/env", which are neither the API's nor
	// a page's, as the API gets its own.
	Others map[string]http.Handler

	TLS      *tls.Config // nil is HTTP without
	ReadOnly bool        // nobody may act, but who has the Key

	// Key is a token of whoever started the server, who may act: for commands that look at it
	// and end it. See NewKey; "" is none.
	Key string

	BasePath string // "/sledge", before every path of links and cookies; "" is none

	// Hostnames are names that it may be asked by, beside those of this machine. Without
	// any, a server that only this machine reaches takes its own names alone, and one that
	// others reach takes every name.
	Hostnames []string

	// Proxies may say by X-Forwarded-For, -Proto and -Host for whom they ask.
	Proxies []netip.Prefix

	// Say is told, in a line, of what its users do not get to see: a fault, a log that
	// cannot be written. It may be called by many goroutines at once. Nil is nobody.
	Say func(line string)
}

// Server is the web application's server.
type Server struct {
	Config
	address   string // host and port that it listens on
	cookie    string // its name: with the port, since browsers share cookies between ports
	users     *Users
	sessions  *sessions
	attempts  *attempts
	strangers *attempts // whose refused requests are logged, as often as they may be
	audit     *audit
	link      *link
	cross     *http.CrossOriginProtection
	handler   http.Handler
	told      sync.Map // the lines that were said, where once is enough

	patience  patience
	lookAgain time.Duration // how often it is asked whether somebody may still read the API
	ending    chan struct{} // closed when that is to end
}

// basePaths are those that can stand in a link and in a cookie as they are.
var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$`)

// CheckBasePath refuses a base path that is not one or more names, each after a slash.
func CheckBasePath(path string) error {
	if path != "" && !basePaths.MatchString(path) {
		return fmt.Errorf("%q is no path such as /sledge: begin with a slash, do not end with one, and use letters, digits and . _ ~ - between slashes", path)
	}
	return nil
}

// Reachable reports whether other machines may reach an address.
func Reachable(address *net.TCPAddr) bool { return !address.IP.IsLoopback() }

// New makes a server. It opens what it needs, so that what is wrong with a file is found
// before anybody comes.
func New(c Config) (*Server, error) {
	if c.Say == nil {
		c.Say = func(string) {}
	}
	if err := CheckBasePath(c.BasePath); err != nil {
		return nil, fmt.Errorf("base path: %w", err)
	}
	s := &Server{
		Config: c, address: c.Listener.Addr().String(), users: UsersIn(c.Folder), attempts: newAttempts(time.Now), strangers: newAttempts(time.Now),
		cross: http.NewCrossOriginProtection(), patience: usualPatience, lookAgain: 15 * time.Second, ending: make(chan struct{}),
	}
	_, port, err := net.SplitHostPort(s.address)
	if err != nil {
		return nil, fmt.Errorf("the address %s: %w", s.address, err)
	}
	s.cookie = "sledge-" + port
	users, err := s.users.List()
	if err != nil {
		return nil, err
	}
	if s.sessions, err = openSessions(filepath.Join(c.Folder, "web-sessions.json"), time.Now); err != nil {
		return nil, err
	}
	if s.audit, err = openAudit(filepath.Join(c.Folder, "web-audit.jsonl")); err != nil {
		return nil, err
	}
	if len(users) == 0 {
		s.link = newLink()
	} else if err := s.sessions.end(func(of session) bool { return of.User == linkUser }); err != nil {
		return nil, err
	}
	s.handler = s.guard(s.routes())
	return s, nil
}

// Address is the host and port that it listens on.
func (s *Server) Address() string { return s.address }

// NewKey makes a Key.
func NewKey() string { return randomText() }

// URL is where people reach it from this machine, with the token that logs in once where
// there are no users.
func (s *Server) URL() string {
	if s.link == nil {
		return s.Home()
	}
	return s.Home() + "login?token=" + s.link.token
}

// Home is where people reach it from this machine.
func (s *Server) Home() string {
	scheme := "http"
	if s.TLS != nil {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(s.address) // New has split it
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + s.BasePath + "/"
}

// patience is how long clients may take. A stream of events may take any time, as long as
// somebody reads it.
type patience struct {
	headers time.Duration // all headers of a request
	body    time.Duration // all of a request's body
	taken   time.Duration // each piece of an answer
	idle    time.Duration // a connection without a request
	end     time.Duration // answers under way, when the server ends
}

var usualPatience = patience{headers: 10 * time.Second, body: time.Minute, taken: time.Minute, idle: 2 * time.Minute, end: 5 * time.Second}

// Sizes of requests, in bytes.
const (
	headerBytes = 64 << 10
	bodyBytes   = 1 << 20
	formBytes   = 4 << 10
)

// Serve serves until ctx ends, and can be called once. What is read of the API ends then at
// once, as streams do; other answers that are under way get a few seconds. Those that are cut off
// get as long once more to hear it and to be logged.
func (s *Server) Serve(ctx context.Context) error {
	requests := context.WithoutCancel(ctx)
	var answering sync.RWMutex // held for reading by each answer that is under way
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answering.RLock()
			defer answering.RUnlock()
			s.handler.ServeHTTP(w, r)
		}),
		TLSConfig:         s.TLS,
		ReadHeaderTimeout: s.patience.headers, IdleTimeout: s.patience.idle, MaxHeaderBytes: headerBytes,
		BaseContext: func(net.Listener) context.Context { return requests },
		// What it would log are strangers who do not speak TLS, or do not trust ours.
		ErrorLog: log.New(quiet{}, "", 0),
	}
	ended := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			ended <- server.ServeTLS(s.Listener, "", "")
			return
		}
		ended <- server.Serve(s.Listener)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", s.address, err)
	case <-ctx.Done():
	}
	close(s.ending)
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.patience.end)
	defer cancel()
	err := server.Shutdown(shutdown)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
		cutOff := make(chan struct{})
		go func() { answering.Lock(); close(cutOff) }()
		select {
		case <-cutOff:
		case <-time.After(s.patience.end):
		}
	}
	if stopped := <-ended; !errors.Is(stopped, http.ErrServerClosed) {
		err = errors.Join(err, stopped)
	}
	return err
}

// quiet is a log that nobody reads.
type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }

// sayOnce says a line that would be the same each time.
func (s *Server) sayOnce(line string) {
	if _, said := s.told.LoadOrStore(line, true); !said {
		s.Say(line)
	}
}

// routes is what there is for those who may ask.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", s.showLogin)
	mux.HandleFunc("POST /login", s.logIn)
	mux.HandleFunc("POST /logout", s.logOut)
	mux.HandleFunc("GET "+sessionPath, s.showSession)
	mux.HandleFunc("POST "+passwordPath, s.changePassword)
	mux.HandleFunc("DELETE "+othersPath, s.endOthers)
	mux.HandleFunc("GET /login.css", showFile("login.css", "text/css"))
	mux.HandleFunc("GET /login.js", showFile("login.js", "text/javascript"))
	mux.Handle("/api/", compressed(s.API))
	for path, handler := range s.Others {
		mux.Handle(path, handler)
	}
	mux.Handle("/", s.pages())
	return mux
}

// compressed has documents compressed for who takes that: a list of jobs is a twentieth then.
// Events pass as they are, at once. It costs little, since a run may go on beside it.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypes([]string{"application/json", "application/openapi+json", "text/csv", "text/html", "text/plain"}))
	if err != nil {
		panic(err) // the options are ours
	}
	return wrap(next)
}

// isProgram reports whether a program asks, or a page for what is no page. Browsers say that
// they take HTML when somebody opens an address.
func isProgram(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == sessionPath || strings.HasPrefix(r.URL.Path, sessionPath+"/") || r.Header.Get("Authorization") != "" ||
		!strings.Contains(r.Header.Get("Accept"), "text/html")
}

// HasLink reports whether URL has a token that logs in, which is so where there are no users.
func (s *Server) HasLink() bool { return s.link != nil }
