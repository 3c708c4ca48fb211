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

// dialTimeout bounds how long a network may take to reach one of a host's addresses,
// so that others get their turn before the time to connect is over.
const dialTimeout = 10 * time.Second

func connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	o := options.(target)
	if as == database.Admin {
		if o.own().NoSuperuser {
			return nil, fmt.Errorf("option %s forbids connecting as %s", o.Name("no_superuser"), o.Name("superuser"))
		}
		return dial(ctx, o.admin())
	}
	// The counts that are read are those of the database one is connected to, so
	// that it is the schema's own also for the superuser.
	if as == database.Observer && !o.own().NoSuperuser {
		s, err := dial(ctx, o.admin().to(o.own().Database))
		switch {
		case err == nil:
			return s, nil
		case errors.Is(err, database.ErrMissing): // and so it is for the owner, who may be missing, too
			return nil, err
		}
	}
	return dial(ctx, o.owner())
}

// dial opens one connection, to the first of the servers that takes it.
func dial(ctx context.Context, l login) (*session, error) {
	return database.ConnectFirst(l.server.each(), func(s *server) (*session, error) {
		one := l
		one.server = s
		return one.dial(ctx)
	})
}

// dial opens a connection and finds out whether a pooler is in between.
func (l login) dial(ctx context.Context) (*session, error) {
	s, err := l.open(ctx)
	if stateOf(err) == protocolViolation && l.parallel != "" { // of a pooler, for a setting that it does not pass on
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

// setParallel sets the parallel workers of a session that a pooler may not have told the server of.
func (s *session) setParallel(ctx context.Context, l login) error {
	if !s.pooler.Pooling.Shares() {
		return s.Exec(ctx, "SET max_parallel_workers_per_gather = "+l.parallel)
	}
	t, err := s.Query(ctx, "SHOW max_parallel_workers_per_gather", 1)
	if err == nil && t.Rows[0][0] != l.parallel {
		err = l.server.Wrong("parallel_workers", l.parallel, "the connection pooler is in %s mode, in which a session cannot choose that, and the server has %s: "+
			"set that, or run ALTER ROLE %s SET max_parallel_workers_per_gather = %s and have the pooler reconnect", s.pooler.Pooling, t.Rows[0][0], pgx.Identifier{l.user}.Sanitize(), l.parallel)
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

// secretFiles is Database.SecretFiles. If no key is named, the driver takes libpq's default key, if that has a certificate.
// libpq refuses a key that others can read; the driver does not look.
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
		return nil // the driver finds none, either
	}
	folder := filepath.Join(home, ".postgresql")
	if _, err := os.Stat(filepath.Join(folder, "postgresql.crt")); err != nil {
		return nil
	}
	return []string{filepath.Join(folder, "postgresql.key")}
}

// config makes the driver's configuration. The driver insists on making it from
// a connection string and, like libpq, fills what the string leaves out from PG*
// variables and files. So the string names everything we have an option for, and
// whatever could change how the server runs the workload is set afterwards.
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
		// The driver's text quotes the connection string. What lies beneath is
		// what went wrong, such as a certificate file that is not there.
		if cause := errors.Unwrap(err); cause != nil {
			return nil, fmt.Errorf("check %s, %s and %s: %w",
				l.server.Name("ssl_ca"), l.server.Name("ssl_cert"), l.server.Name("ssl_key"), cause)
		}
		return nil, errors.New("the PG* environment variables contradict the options: unset them, or change the options")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = database.ConnectTimeout
	}
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

// attributes says which servers will do: of several, those that accept writes, so that a
// standby is passed over until it takes over.
func (s *server) attributes() string {
	if s.oneOf {
		return "read-write"
	}
	return "any"
}

// readAlone lets none but the session read from the connection, as a loop wants it. The
// driver reads in a goroutine of its own when a write takes long, so that the server and
// the client cannot both wait for the other to read; requests of virtual users are much
// shorter than what the network holds.
func readAlone(config *pgconn.Config) {
	config.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return unreadable{conn}, nil
	}
	config.BuildFrontend = func(_ io.Reader, w io.Writer) *pgproto3.Frontend {
		conn := w.(unreadable).Conn
		return pgproto3.NewFrontend(conn, conn)
	}
}

// unreadable is a connection as the driver has it that must not read from it: at each
// try it learns that the time is over, after which it tries no more.
type unreadable struct{ net.Conn }

// Read is net.Conn's.
func (unreadable) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// explain says in one line why a connection could not be made and which options
// to look at.
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
		cause, advice = unknownAuthority, check("ssl_ca")+", which must hold the authority that signed the server's certificate"
	case errors.As(err, &otherHost):
		cause, advice = otherHost, check("host")+", which must be a name that the server's certificate is for"
	case errors.As(err, &fromNetwork):
		cause, advice = fromNetwork, check("host", "port")+", and that the server is running"
	case strings.Contains(err.Error(), "read only connection"):
		cause, advice = errReadOnly, "name a server that accepts writes in "+l.server.Name("host")
	case strings.Contains(err.Error(), "tls error"):
		advice = check("ssl_mode")
	}
	unconnected := &database.ConnectError{
		Text: fmt.Sprintf("connect to PostgreSQL, database %v, as user %s: %s: %s",
			l, l.user, strings.Join(strings.Fields(cause.Error()), " "), advice),
		Err:     err,
		Missing: stateOf(err) == "3D000",
	}
	if stateOf(err) == invalidPassword {
		return &database.PasswordError{Option: l.passwordOption, Called: l.server.Name(l.passwordOption), User: l.user, Err: unconnected}
	}
	return unconnected
}

// errReadOnly says that a server is not the one of several that takes writes.
var errReadOnly = errors.New("the server is read-only, as a standby is")

// invalidPassword is a SQLSTATE. Servers say it of users that they do not know, too.
const invalidPassword = "28P01"

// advice is what to do about an error that the server answered with.
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
