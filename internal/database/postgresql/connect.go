package postgresql

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"sledge/internal/database"
	"sledge/internal/listener"
	"sledge/internal/loop"
)

// dialTimeout is the time limit for each of a host's addresses. It is shorter than the limit for
// connecting, so that a silent address leaves time for the others.
const dialTimeout = 10 * time.Second

// connect is Sessions.Connect.
func connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	o := options.(target)
	if as == database.Admin {
		if o.own().NoSuperuser {
			return nil, fmt.Errorf("option %s forbids connecting as %s", o.Name("no_superuser"), o.Name("superuser"))
		}
		return dial(ctx, o.admin())
	}
	// The server's counts cover the current database, so even the superuser connects to the
	// schema's database for them.
	if as == database.Observer && !o.own().NoSuperuser {
		s, err := dial(ctx, o.admin().to(o.own().Database))
		switch {
		case err == nil:
			return s, nil
		case errors.Is(err, database.ErrMissing): // the owner's login would fail in the same way
			return nil, err
		}
	}
	if as == database.Watcher {
		if s, err := dial(ctx, o.owner().to(o.own().DefaultDatabase)); err == nil {
			return s, nil
		}
	}
	s, err := dial(ctx, o.owner())
	if strings.HasPrefix(stateOf(err), "28") && !o.own().NoSuperuser && ownerIsMissing(ctx, o) {
		return nil, o.owner().missing(err)
	}
	return s, err
}

// ownerIsMissing reports whether the owner does not exist. It asks as the superuser, because the
// server refuses an unknown user like a wrong password. It returns false if the superuser cannot
// connect.
func ownerIsMissing(ctx context.Context, o target) bool {
	admin, err := dial(ctx, o.admin())
	if err != nil {
		return false
	}
	exists, err := admin.has(ctx, "SELECT 1 FROM pg_roles WHERE rolname = "+literal(o.owner().user))
	return errors.Join(err, admin.Close()) == nil && !exists
}

// missing returns the error of a refused login whose user does not exist.
func (l login) missing(refused error) error {
	var fromServer *pgconn.PgError
	errors.As(refused, &fromServer)
	return &database.ConnectError{
		Text: fmt.Sprintf("connect to PostgreSQL, database %v, as user %s: the user does not exist: check %s, or build the schema first",
			l, l.user, l.server.Name(l.userOption)),
		Err:     errors.Join(database.ErrNoAccount, fromServer),
		Missing: true,
	}
}

// dial opens a connection to the first server that accepts it.
func dial(ctx context.Context, l login) (*session, error) {
	return database.ConnectFirst(l.server.each(), func(s *server) (*session, error) {
		one := l
		one.server = s
		return one.dial(ctx)
	})
}

// dial opens a connection to one server, and detects a pooler.
func (l login) dial(ctx context.Context) (*session, error) {
	s, err := l.open(ctx)
	if stateOf(err) == protocolViolation && l.parallel != "" { // a pooler may refuse unknown startup parameters
		plain := l
		plain.parallel = ""
		s, err = plain.open(ctx)
	}
	if err != nil {
		return nil, err
	}
	if s.pooler, err = l.server.poolers.of(ctx, l, s); err == nil && s.pooler.Pooling != "" && l.parallel != "" {
		err = s.setParallel(ctx, l)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// protocolViolation is a SQLSTATE.
const protocolViolation = "08P01"

// setParallel sets the parallel workers of a session if a pooler may not have passed them to the
// server.
func (s *session) setParallel(ctx context.Context, l login) error {
	if !s.pooler.Pooling.Shares() {
		return s.Exec(ctx, "SET max_parallel_workers_per_gather = "+l.parallel)
	}
	t, err := s.Query(ctx, "SHOW max_parallel_workers_per_gather", 1)
	if err == nil && t.Rows[0][0] != l.parallel {
		err = l.server.Wrong("parallel_workers", l.parallel, "the connection pooler is in %s mode, in which a session cannot set this, and the server's value is %s: "+
			"use that value, or run ALTER ROLE %s SET max_parallel_workers_per_gather = %s and make the pooler reconnect", s.pooler.Pooling, t.Rows[0][0], pgx.Identifier{l.user}.Sanitize(), l.parallel)
	}
	return err
}

// open opens a connection.
func (l login) open(ctx context.Context) (*session, error) {
	config, err := l.config()
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL, database %v: %w", l, err)
	}
	connecting := listener.Attempt{
		Limit:      config.ConnectTimeout,
		Expected:   func(a listener.Answer) bool { return a.Choose == listener.PostgreSQL },
		FromServer: func(err error) bool { return stateOf(err) != "" },
	}
	if loop.Gathers(ctx) {
		readAlone(config)
	}
	connecting.Network, connecting.Address = pgconn.NetworkAddress(l.server.Host, uint16(l.server.Port))
	var conn *pgconn.PgConn
	answer, err := connecting.Do(ctx, func(ctx context.Context) (err error) {
		conn, err = pgconn.ConnectConfig(ctx, config)
		return err
	})
	if err != nil {
		return nil, l.explain(answer, err)
	}
	return newSession(conn), nil
}

// secretFiles is Options.SecretFiles. If the options name no key, the driver uses libpq's default
// key, provided that the certificate beside it exists. Unlike libpq, the driver does not refuse a
// key that other users can read.
func secretFiles(options any) []string {
	s := options.(target).owner().server
	switch {
	case s.SSLKey != "":
		return []string{s.SSLKey}
	case s.SSLMode == "disable":
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil // the driver does not find it, either
	}
	folder := filepath.Join(home, ".postgresql")
	if _, err := os.Stat(filepath.Join(folder, "postgresql.crt")); err != nil {
		return nil
	}
	return []string{filepath.Join(folder, "postgresql.key")}
}

// config returns the driver's configuration. The driver requires a connection string and, like
// libpq, fills in missing parameters from PG* variables and files. So the string contains every
// parameter that we have an option for. Everything else that could change how the server runs the
// workload is set afterwards.
func (l login) config() (*pgconn.Config, error) {
	settings := []struct{ name, value string }{
		{"host", l.server.Host},
		{"port", fmt.Sprint(l.server.Port)},
		{"user", l.user},
		{"password", l.password},
		{"dbname", l.database},
		{"sslmode", l.server.SSLMode},
		{"sslrootcert", l.server.SSLRootCert},
		{"sslcert", l.server.SSLCert},
		{"sslkey", l.server.SSLKey},
		{"target_session_attrs", l.server.attributes()},
	}
	var text strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	for _, s := range settings {
		if s.value != "" {
			fmt.Fprintf(&text, "%s='%s' ", s.name, quote.Replace(s.value))
		}
	}
	config, err := pgconn.ParseConfig(text.String())
	if err != nil {
		// The driver's text quotes the connection string. The wrapped error is the cause, such as a
		// missing certificate file.
		if cause := errors.Unwrap(err); cause != nil {
			return nil, fmt.Errorf("check %s, %s and %s: %w",
				l.server.Name("ssl_ca"), l.server.Name("ssl_cert"), l.server.Name("ssl_key"), cause)
		}
		return nil, errors.New("the PG* environment variables contradict the options: unset them, or change the options")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = database.ConnectTimeout
	}
	config.MaxProtocolMessageBodyLen = database.LongestMessage
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return loop.Dial(ctx, &net.Dialer{Timeout: dialTimeout}, network, address)
	}
	config.RuntimeParams = map[string]string{
		"application_name": "sledge",
		"client_encoding":  "UTF8",
		"datestyle":        "ISO",
		"timezone":         "UTC", // load text is in UTC
	}
	if l.parallel != "" {
		config.RuntimeParams["max_parallel_workers_per_gather"] = l.parallel
	}
	return config, nil
}

// attributes returns libpq's target_session_attrs. If there are several servers, it requires one
// that accepts writes, so that a standby is skipped until it is promoted.
func (s *server) attributes() string {
	if s.oneOf {
		return "read-write"
	}
	return "any"
}

// readAlone makes the session the only reader of the connection, as an event loop requires.
// Otherwise, if a write takes long, the driver reads in its own goroutine, so that server and
// client cannot both wait for the other to read. Virtual users do not need that, because their
// requests are much shorter than the network's buffers.
func readAlone(config *pgconn.Config) {
	config.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return unreadable{conn}, nil
	}
	config.BuildFrontend = func(_ io.Reader, w io.Writer) *pgproto3.Frontend {
		conn := w.(unreadable).Conn
		return pgproto3.NewFrontend(conn, conn)
	}
}

// unreadable is a connection from which the driver cannot read: each attempt fails with a timeout,
// after which the driver stops trying.
type unreadable struct{ net.Conn }

// Read implements net.Conn.
func (unreadable) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// explain returns an error that says in one line why a connection failed, and which options to
// check.
func (l login) explain(answer listener.Answer, err error) error {
	if answer.What != "" {
		return &database.ConnectError{Text: answer.Mistake(l.server.String(), "PostgreSQL", l.server.Name("host"), l.server.Name("port")), Err: err}
	}
	check := func(which ...string) string {
		for i, name := range which {
			which[i] = l.server.Name(name)
		}
		return "check " + strings.Join(which, " and ")
	}
	var fromServer *pgconn.PgError
	var fromNetwork *net.OpError
	var unknownAuthority x509.UnknownAuthorityError
	var otherHost x509.HostnameError
	var silent *listener.SilentError
	cause, advice := err, check("host", "port")
	switch {
	case errors.As(err, &silent):
		cause = silent
	case errors.As(err, &fromServer):
		cause, advice = fromServer, l.advice(fromServer.Code, check)
	case errors.As(err, &unknownAuthority):
		cause, advice = unknownAuthority, check("ssl_ca")+", which must contain the authority that signed the server's certificate"
	case errors.As(err, &otherHost):
		cause, advice = otherHost, check("host")+", which must be a name in the server's certificate"
	case errors.As(err, &fromNetwork):
		cause, advice = fromNetwork, check("host", "port")+", and that the server is running"
	case strings.Contains(err.Error(), "read only connection"):
		cause, advice = errReadOnly, "name a server that accepts writes in "+l.server.Name("host")
	case strings.Contains(err.Error(), "tls error"):
		advice = check("ssl_mode")
	}
	unconnected := &database.ConnectError{
		Text: fmt.Sprintf("connect to PostgreSQL, database %v, as user %s: %s: %s",
			l, l.user, strings.Join(strings.Fields(short(cause).Error()), " "), advice),
		Err:     err,
		Missing: stateOf(err) == "3D000",
		Refused: stateOf(err) != "",
	}
	if stateOf(err) == invalidPassword {
		return &database.PasswordError{Option: l.passwordOption, Called: l.server.Name(l.passwordOption), User: l.user, Err: unconnected}
	}
	return unconnected
}

// errReadOnly means that a server does not accept writes although it is one of several.
var errReadOnly = errors.New("the server is read-only, as a standby is")

// invalidPassword is a SQLSTATE. Servers also use it for unknown users.
const invalidPassword = "28P01"

// advice returns what to do about an error of the server.
func (l login) advice(code string, check func(...string) string) string {
	switch {
	case strings.HasPrefix(code, "28"):
		return check(l.userOption, l.passwordOption)
	case code == "3D000":
		return check(l.databaseOption) + ", or build the schema first"
	case code == "53300":
		return "use fewer virtual users, or raise the server's max_connections"
	case code == "42501":
		return check(l.userOption) + ", who may not connect to this database"
	}
	return check("host", "port")
}
