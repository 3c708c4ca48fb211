package db2

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
)

// connectTimeout is a variable, because tests use a shorter one.
var connectTimeout = database.ConnectTimeout

// connect is Sessions.Connect. The library cannot cancel an attempt to connect, so the attempt
// continues in the background if ctx ends.
func connect(ctx context.Context, options any, as database.Role) (database.Session, error) {
	s, err := dial(ctx, options, as)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// dial opens a session for connect.
func dial(ctx context.Context, options any, as database.Role) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := options.(settings)
	s, a := o.common()
	l := loginOf(s, a)
	library, err := load(s.Library, os.Getenv)
	switch {
	case err != nil && !cli.Static:
		return nil, fmt.Errorf("%w; see option %s", err, s.Name("library"))
	case err != nil:
		return nil, err
	}
	type answer struct {
		conn *cli.Connection
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		conn, err := library.Connect(l.text(), l.port(), connectTimeout)
		answers <- answer{conn, err}
	}()
	select {
	case <-ctx.Done():
		go func() {
			if late := <-answers; late.err == nil {
				_ = late.conn.Close()
			}
		}()
		return nil, l.explain(ctx.Err())
	case got := <-answers:
		if got.err != nil {
			return nil, l.explain(got.err)
		}
		return open(ctx, got.conn, o, as)
	}
}

// open creates a session from a connection.
func open(ctx context.Context, conn *cli.Connection, o settings, as database.Role) (*session, error) {
	s, err := newSession(conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s.another = func(ctx context.Context) (*session, error) { return dial(ctx, o, as) }
	if n := o.degree(); n > 0 && as.OwnsSchema() {
		if err := s.Exec(ctx, "SET CURRENT DEGREE = '"+strconv.Itoa(n)+"'"); err != nil {
			return nil, errors.Join(fmt.Errorf("set the degree of parallelism: %w", err), s.Close())
		}
	}
	return s, nil
}

// explain returns an error that names the server, the options of its address, and what to do.
func (l login) explain(err error) error {
	unconnected := &database.ConnectError{
		Text:    fmt.Sprintf("connect to Db2 at %s as user %s: %v: %s", l.server.address(), l.user, database.Short(err), l.advice(err)),
		Err:     err,
		Missing: slices.Contains([]int{codeNotFound, codeUnknownAlias, codeUnknownSource}, code(err)),
		Refused: fromServer(err),
	}
	if n := code(err); n == codeRefused || n == codeRefusedThere {
		return &database.PasswordError{Option: l.passwordOption, Called: l.server.Name(l.passwordOption), User: l.user, Err: unconnected}
	}
	return unconnected
}

// fromServer reports whether an error came from the server, and not from the library.
func fromServer(err error) bool {
	n := code(err)
	return n != 0 && n != codeOfLibrary && n != codeCommunication && n != codeNoService
}

func code(err error) int {
	if e, ok := errors.AsType[*cli.Error](err); ok {
		return e.Code
	}
	return 0
}

func (l login) advice(err error) string {
	name := l.server.Name
	switch code(err) {
	case codeRefused, codeRefusedThere:
		return fmt.Sprintf("check options %s, %s and %s", name(l.userOption), name(l.passwordOption), name("authentication"))
	case codeNotFound:
		return fmt.Sprintf("check option %s, or create the database with \"db2 create database %s\"", name(l.databaseOption), l.database)
	case codeUnknownAlias, codeUnknownSource:
		return fmt.Sprintf("set option %s, or check option %s: without a host, the library looks up the database by its name", name("host"), name(l.databaseOption))
	case codeNoConnectRight:
		return fmt.Sprintf("grant the user of option %s the right CONNECT on the database", name(l.userOption))
	case codeMaximum, codeApplications:
		return "raise the server's maxappls or max_coordagents, or use fewer virtual users"
	case codeSystem:
		return "start the instance with db2start"
	}
	if fromServer(err) {
		return fmt.Sprintf("the server refused the connection; run \"db2 ? SQL%04d\" for the reason", -code(err))
	}
	if l.server.SSL {
		return fmt.Sprintf("check options %s and %s, that the server accepts TLS on that port, and option %s, which verifies its certificate", name("host"), name("port"), name("ssl_ca"))
	}
	return fmt.Sprintf("check options %s and %s, that the server is running there, and that it listens on TCP (DB2COMM)", name("host"), name("port"))
}
