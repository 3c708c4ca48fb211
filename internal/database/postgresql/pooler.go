package postgresql

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
	"sledge/internal/sqlschema"
)

// pooler is a connection pooler between client and server, such as pgbouncer.
type pooler struct {
	Pooling  database.Pooling // "" if there is no pooler
	prepares bool             // it supports named prepared statements, although clients share connections
}

// unnamed reports whether statements must be parsed for each execution.
func (p pooler) unnamed() bool { return p.Pooling.Shares() && !p.prepares }

// poolers caches the poolers that a job has detected, by login, because a pooler may treat each
// database and user differently. It is safe for concurrent use.
type poolers struct {
	mu    sync.Mutex
	found map[string]pooler
}

// of returns the pooler of a session, and detects it if the session is the first of its login.
func (p *poolers) of(ctx context.Context, l login, s *session) (pooler, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := strings.Join([]string{l.server.String(), l.user, l.database}, "\x00")
	if known, there := p.found[key]; there {
		return known, nil
	}
	found, err := l.findPooler(ctx, s)
	if err == nil {
		if p.found == nil {
			p.found = map[string]pooler{}
		}
		p.found[key] = found
	}
	return found, err
}

const (
	poolerPatience = 2 * time.Second // a second connection of an exhausted pool waits for the first
	poolerRounds   = 5
)

// findPooler detects a pooler between a session and its server: a pooler reports another process
// number than the server. A second session shows whether sessions share connections. If other
// clients use the pool, too, the two sessions may get different connections by chance, so
// findPooler tries several times. In doubt it assumes sharing, because what works with shared
// connections works with any pooler.
func (l login) findPooler(ctx context.Context, s *session) (pooler, error) {
	own, err := s.backEnd(ctx)
	if stateOf(err) != "" || err == nil && own == strconv.FormatUint(uint64(s.conn.PID()), 10) {
		return pooler{}, nil // a server without pg_backend_pid is not PostgreSQL, so Sledge knows nothing about its poolers
	}
	if err != nil {
		return pooler{}, err
	}
	unsure := pooler{Pooling: database.ByTransaction}
	ctx, cancel := context.WithTimeout(ctx, poolerPatience)
	defer cancel()
	second, err := l.open(ctx)
	if err != nil {
		return unsure, nil
	}
	defer second.Close()
	shares := false
	for range poolerRounds {
		other, err := second.backEnd(ctx)
		if err != nil {
			return unsure, nil
		}
		again, err := s.backEnd(ctx)
		if err != nil {
			return pooler{}, err
		}
		shares = shares || other == again || again != own
	}
	if !shares {
		return pooler{Pooling: database.BySession}, nil
	}
	found := pooler{Pooling: database.ByTransaction}
	if err := second.Exec(ctx, "BEGIN"); err != nil {
		found.Pooling = database.ByStatement
	} else if err := second.Exec(ctx, "ROLLBACK"); err != nil {
		return unsure, nil
	}
	found.prepares = keepsApart(ctx, s, second)
	return found, nil
}

// ownProcess asks for the number of the server process of a session.
const ownProcess = "SELECT pg_backend_pid()"

// backEnd returns the number of the server process that serves the session at the moment.
func (s *session) backEnd(ctx context.Context) (string, error) {
	t, err := s.Query(ctx, ownProcess, 1)
	if err != nil {
		return "", err
	}
	if len(t.Rows) != 1 {
		return "", errors.New(ownProcess + " returned no row")
	}
	return t.Rows[0][0], nil
}

// keepsApart reports whether sessions can prepare different statements under the same name.
func keepsApart(ctx context.Context, sessions ...*session) bool {
	const name = "sledge_probe"
	answer := func(n int) string { return strconv.Itoa(n + 1) }
	apart := true
	for n, s := range sessions {
		_, err := s.conn.Prepare(ctx, name, "SELECT "+answer(n), nil)
		apart = apart && err == nil
	}
	for range poolerRounds {
		for n, s := range sessions {
			if !apart {
				break
			}
			result := s.conn.ExecPrepared(ctx, name, nil, nil, nil).Read()
			apart = result.Err == nil && len(result.Rows) == 1 && string(result.Rows[0][0]) == answer(n)
		}
	}
	for _, s := range sessions {
		_ = s.conn.Deallocate(ctx, name) // it fails if this connection does not have the statement, or is lost
	}
	return apart
}

// errByStatement is the error of an action that needs transactions, through a pooler in statement
// mode.
var errByStatement = errors.New("the connection pooler is in statement mode, which has no transactions: " +
	"set its pool_mode to transaction or session, or connect to the server itself")

// newServer is Database.Server. It adds Pooling, and leaves out Steady if sessions share
// connections.
func newServer(sql *sqlfile.Library) database.Server {
	server := sqlschema.NewServer(sql)
	server.CounterOwn = 1
	server.Tuning = tuning
	server.Pooling = func(s database.Session) database.Pooling {
		if own, is := s.(*session); is {
			return own.pooler.Pooling
		}
		return ""
	}
	if steady := server.Steady; steady != nil {
		server.Steady = func(ctx context.Context, s database.Session) error {
			if own, is := s.(*session); is && own.pooler.Pooling.Shares() { // the settings would also apply to the connection's next client
				return nil
			}
			return steady(ctx, s)
		}
	}
	return server
}

// newSchema is Database.Schema. If sessions share connections, advisory locks of a session are
// useless. Then a build holds its claim in a transaction, and cannot find orphans. A run only
// checks that no build has a claim, because its monitor cannot stay in a transaction.
func newSchema(d *database.Database, sql *sqlfile.Library, plan any) database.Schema {
	schema := sqlschema.New(d, sql, plan)
	if schema.Claims == nil {
		return schema
	}
	bySession, claims := *schema.Claims, *schema.Claims
	shares := func(s database.Session) bool { own, is := s.(*session); return is && own.pooler.Pooling.Shares() }
	claims.Take = func(ctx context.Context, s database.Session) (bool, error) {
		if !shares(s) {
			return bySession.Take(ctx, s)
		}
		if err := s.Begin(ctx, database.ReadWrite); err != nil {
			return false, err
		}
		taken, err := isOne(ctx, s, sql, "build.claim_in_transaction")
		if !taken {
			err = errors.Join(err, s.Rollback(ctx))
		}
		return taken, err
	}
	claims.Share = func(ctx context.Context, s database.Session) (bool, error) {
		if !shares(s) {
			return bySession.Share(ctx, s)
		}
		return isOne(ctx, s, sql, "build.share_for_a_moment")
	}
	claims.Work = func(ctx context.Context, s database.Session) error {
		if shares(s) {
			return nil
		}
		return bySession.Work(ctx, s)
	}
	claims.Orphans = func(ctx context.Context, s database.Session) ([]database.Orphan, error) {
		if shares(s) {
			return nil, nil
		}
		return bySession.Orphans(ctx, s)
	}
	schema.Claims = &claims
	return schema
}

// isOne reports whether a query returns the value 1.
func isOne(ctx context.Context, s database.Session, sql *sqlfile.Library, name string) (bool, error) {
	q, err := sql.Query(name)
	if err != nil {
		return false, err
	}
	t, err := s.Query(ctx, q.Text, 1)
	return err == nil && len(t.Rows) == 1 && t.Rows[0][0] == "1", err
}
