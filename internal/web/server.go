// Package web serves the web application: it authenticates and authorizes users, and sets the
// security headers of responses. It does not know the API and the pages to which it passes requests,
// and they do not know logins.
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

	"sledge/internal/web/secret"
	"sledge/internal/web/share"
)

// Config configures a Server. Listener, Folder and API are required.
type Config struct {
	// Listener accepts the connections. The caller checks with Reachable whether other machines
	// may reach it.
	Listener net.Listener

	// Folder contains the files of users, sessions and the audit log.
	Folder string

	// API handles each authorized request whose path begins with /api/, without the base path.
	API http.Handler

	// Private lists paths of the API that need the role Act even for reading. They include all
	// paths below them.
	Private []string

	// Owned lists paths of the API that need the role Own to change anything. They include all paths
	// below them.
	Owned []string

	// Plain lists paths of the API whose responses are the same everywhere, such as the manual. Paths
	// in their text are examples.
	Plain []string

	// Shares are the shared links; nil allows none. Shows reports whether a link to a subject shows
	// what a request to the API asks for, which reads and is below /api/.
	Shares *Shares
	Shows  func(share.Subject, *http.Request) bool

	// Within returns the status and the reason with which a request to the API of a user who has these
	// roles in projects is refused; 0 if it is allowed. nil refuses all.
	Within func(roles map[string]string, r *http.Request) (status int, reason string)

	// Pages are the built pages, with index.html at their root; nil if the build has none.
	Pages fs.FS

	// Others handle the authorized requests for further paths, such as "/env".
	Others map[string]http.Handler

	TLS      *tls.Config // nil serves HTTP without TLS
	ReadOnly bool        // refuses actions of all users, except with the Key

	// Key is a token with the role Act for other commands of the user who started the server, which
	// query it and end it. See NewKey. "" disables it.
	Key string

	BasePath string // begins the path of links and cookies: "/sledge"; may be empty

	// Hostnames are further host names of this server. Without any, a server on a loopback address
	// accepts only localhost and IP addresses, and a server that other machines can reach accepts
	// every name.
	Hostnames []string

	// Proxies are trusted to set X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.
	Proxies []netip.Prefix

	// Say prints a line for the administrator, such as a bug, or a log that cannot be written. It
	// must be safe for concurrent use. It may be nil.
	Say func(line string)
}

// Server is the web application's server.
type Server struct {
	Config
	address   string // host and port that it listens on
	cookie    string // its name contains the port, because browsers share cookies between ports
	users     *Users
	sessions  *sessions
	attempts  *attempts
	strangers *attempts // limits audit lines of clients that have not logged in
	audit     *audit
	link      *link
	cross     *http.CrossOriginProtection
	handler   http.Handler
	printed   sync.Map // the lines that sayOnce has printed

	timeouts  timeouts
	lookAgain time.Duration // how often the access of a streaming client is checked again
	ending    chan struct{} // closed when the server ends
}

// basePaths matches base paths that need no escaping in links and cookies.
var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$`)

// CheckBasePath returns an error unless a base path is empty or consists of names that each follow
// a slash.
func CheckBasePath(path string) error {
	if path != "" && !basePaths.MatchString(path) {
		return fmt.Errorf("%q is not a path such as /sledge: begin with a slash, do not end with one, and use letters, digits and . _ ~ - between slashes", path)
	}
	return nil
}

// Reachable reports whether other machines may reach an address.
func Reachable(address *net.TCPAddr) bool { return !address.IP.IsLoopback() }

// New creates a server. It opens the server's files, so that errors in them are found at the start.
func New(c Config) (*Server, error) {
	if c.Say == nil {
		c.Say = func(string) {}
	}
	if err := CheckBasePath(c.BasePath); err != nil {
		return nil, fmt.Errorf("base path: %w", err)
	}
	s := &Server{
		Config: c, address: c.Listener.Addr().String(), users: UsersIn(c.Folder), attempts: newAttempts(time.Now), strangers: newAttempts(time.Now),
		cross: http.NewCrossOriginProtection(), timeouts: usualTimeouts, lookAgain: 15 * time.Second, ending: make(chan struct{}),
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

// Address returns the host and port of the listener.
func (s *Server) Address() string { return s.address }

// NewKey generates a Key.
func NewKey() string { return secret.New() }

// URL returns the address of the server on this machine. If there are no users, it contains the
// token that logs in once.
func (s *Server) URL() string {
	if s.link == nil {
		return s.Home()
	}
	return s.Home() + "login?token=" + s.link.token
}

// Home returns the address of the server on this machine.
func (s *Server) Home() string {
	scheme := "http"
	if s.TLS != nil {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(s.address) // cannot fail, because New has split it
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + s.BasePath + "/"
}

// timeouts are the timeouts of clients. A stream of events may last as long as the client reads it.
type timeouts struct {
	headers time.Duration // all headers of a request
	body    time.Duration // all of a request's body
	write   time.Duration // each write of a response
	idle    time.Duration // a connection without a request
	end     time.Duration // open responses when the server ends
}

var usualTimeouts = timeouts{headers: 10 * time.Second, body: time.Minute, write: time.Minute, idle: 2 * time.Minute, end: 5 * time.Second}

// Sizes of requests, in bytes.
const (
	headerBytes = 64 << 10
	bodyBytes   = 1 << 20
	formBytes   = 4 << 10
)

// Serve serves until ctx ends. It must be called only once. At the end, responses of the API to GET,
// such as streams, end at once. Other responses get a few seconds. Responses that are aborted then
// get the same time again to return and to be logged.
func (s *Server) Serve(ctx context.Context) error {
	requests := context.WithoutCancel(ctx)
	var answering sync.RWMutex // each open response holds a read lock
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answering.RLock()
			defer answering.RUnlock()
			s.handler.ServeHTTP(w, r)
		}),
		TLSConfig:         s.TLS,
		ReadHeaderTimeout: s.timeouts.headers, IdleTimeout: s.timeouts.idle, MaxHeaderBytes: headerBytes,
		BaseContext: func(net.Listener) context.Context { return requests },
		// These errors come from clients that do not use TLS or do not trust the certificate.
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
	shutdown, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeouts.end)
	defer cancel()
	err := server.Shutdown(shutdown)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
		aborted := make(chan struct{})
		go func() { answering.Lock(); close(aborted) }()
		select {
		case <-aborted:
		case <-time.After(s.timeouts.end):
		}
	}
	if stopped := <-ended; !errors.Is(stopped, http.ErrServerClosed) {
		err = errors.Join(err, stopped)
	}
	return err
}

// quiet is a writer that discards log lines.
type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }

// sayOnce prints a line, unless it has printed the same line before.
func (s *Server) sayOnce(line string) {
	if _, said := s.printed.LoadOrStore(line, true); !said {
		s.Say(line)
	}
}

// routes returns the handler of authorized requests.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	accepted := map[string][]string{} // methods by path
	handle := func(method, path string, handler http.HandlerFunc) {
		mux.HandleFunc(method+" "+path, handler)
		if accepted[path] = append(accepted[path], method); method == http.MethodGet {
			accepted[path] = append(accepted[path], http.MethodHead)
		}
	}
	handle(http.MethodGet, "/login", s.showLogin)
	handle(http.MethodPost, "/login", s.logIn)
	handle(http.MethodPost, "/logout", s.logOut)
	handle(http.MethodGet, sessionPath, s.showSession)
	handle(http.MethodPost, passwordPath, s.changePassword)
	handle(http.MethodDelete, othersPath, s.endOthers)
	if s.Shares != nil {
		handle(http.MethodGet, sharedPath, s.showShared)
		handle(http.MethodPost, sharedPath, s.openShared)
		handle(http.MethodGet, sharedScript, showFile("shared.js", "text/javascript"))
	}
	handle(http.MethodGet, "/login.css", showFile("login.css", "text/css"))
	handle(http.MethodGet, "/login.js", showFile("login.js", "text/javascript"))
	for path, methods := range accepted {
		allowed := strings.Join(methods, ", ")
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", allowed)
			s.refuse(w, r, http.StatusMethodNotAllowed, fmt.Sprintf("this address does not accept %s, only %s", r.Method, allowed))
		})
	}
	mux.Handle("/api/", compressed(s.withoutFolders(s.API)))
	for path, handler := range s.Others {
		mux.Handle(path, s.withoutFolders(handler))
	}
	mux.Handle("/", s.pages())
	return mux
}

// compressed compresses documents for clients that accept compression, which shrinks a list of jobs
// to a twentieth. It passes events on uncompressed and at once. It uses the fastest level, because
// a run may need the processor.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.ContentTypes([]string{"application/json", "application/openapi+json", "text/csv", "text/html", "text/plain"}))
	if err != nil {
		panic(err) // the options are ours
	}
	return wrap(next)
}

// isProgram reports whether a request comes from a program, or from the script of a page. A browser
// that opens an address accepts HTML.
func isProgram(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == sessionPath || strings.HasPrefix(r.URL.Path, sessionPath+"/") || r.Header.Get("Authorization") != "" ||
		!strings.Contains(r.Header.Get("Accept"), "text/html")
}

// HasLink reports whether URL contains a login token. It does if there are no users.
func (s *Server) HasLink() bool { return s.link != nil }
