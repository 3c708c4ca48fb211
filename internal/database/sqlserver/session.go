package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	mssql "github.com/microsoft/go-mssqldb"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// session is a database.Session over a connection of the driver.
type session struct {
	conn *mssql.Conn

	// The connection below conn, which Interrupt breaks; nil until it exists.
	mu      sync.Mutex
	network net.Conn

	inTx bool // Begin has begun a transaction

	// unsure means that a transaction may still be open after a routine or a commit has failed.
	unsure bool

	bulk   bool   // load by bulk copy
	folder folder // for files of rows; zero loads over the connection
	maxDOP int    // maximum degree of parallelism of queries; 0 means the server's default

	// Cached facts of the server.
	tables              map[string]tableFacts
	memoryAsked, memory bool   // cached by inMemory
	product             string // cached by isBabelfish
	packet              int    // cached by packetSize

	// Calls cancels calls: the driver sends a request and waits for the server's response.
	// Interrupt breaks the connection instead.
	database.Calls
}

// failed records that a call has failed, and returns its error, or ErrInterrupted.
func (s *session) failed(err error) error {
	if err == nil {
		return nil
	}
	s.unsure = true
	return s.Ended(err)
}

// Exec implements database.Session. The server cannot drop a memory-optimized table in a
// transaction, so for such a DROP, Exec commits the current transaction first, and begins another
// one afterwards.
func (s *session) Exec(ctx context.Context, statement string) error {
	if s.inTx && strings.HasPrefix(strings.TrimSpace(statement), "DROP ") {
		inMemory, err := s.inMemory(ctx)
		if err != nil {
			return err
		}
		if inMemory {
			return s.execBetween(ctx, statement)
		}
	}
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return err
	}
	defer done()
	_, err = s.exec(ctx, statement)
	return s.failed(err)
}

// execBetween runs a statement after the current transaction, and then begins another one.
func (s *session) execBetween(ctx context.Context, statement string) error {
	if err := s.Commit(ctx); err != nil {
		return err
	}
	if err := s.Exec(ctx, statement); err != nil {
		return err
	}
	return s.Begin(ctx, database.ReadWrite)
}

func (s *session) exec(ctx context.Context, statement string, args ...driver.NamedValue) (int64, error) {
	prepared, err := s.conn.PrepareContext(ctx, statement)
	if err != nil {
		return 0, err
	}
	result, err := prepared.(*mssql.Stmt).ExecContext(ctx, args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Query implements database.Session. Of several statements, it returns the rows of the last one
// that returns rows.
func (s *session) Query(ctx context.Context, statement string, limit int) (database.Table, error) {
	ctx, done, err := s.Watched(ctx)
	if err != nil {
		return database.Table{}, err
	}
	defer done()
	t, err := s.query(ctx, s.hinted(statement), limit)
	return t, s.failed(err)
}

func (s *session) query(ctx context.Context, statement string, limit int) (database.Table, error) {
	sets, err := s.sets(ctx, statement, limit)
	if len(sets) == 0 {
		return database.Table{}, err
	}
	return sets[len(sets)-1], err
}

// sets returns each result set of a statement. It stops after a set that reaches the limit.
func (s *session) sets(ctx context.Context, statement string, limit int) (sets []database.Table, err error) {
	prepared, err := s.conn.PrepareContext(ctx, statement)
	if err != nil {
		return sets, err
	}
	rows, err := prepared.(*mssql.Stmt).QueryContext(ctx, nil)
	if err != nil {
		return sets, err
	}
	defer func() {
		if closed := rows.Close(); err == nil {
			err = closed
		}
	}()
	for {
		columns := rows.Columns()
		if len(columns) > 0 {
			sets = append(sets, database.Table{Columns: columns})
		}
		values := make([]driver.Value, len(columns))
		dates := make([]bool, len(columns))
		for i := range columns {
			dates[i] = rows.(driver.RowsColumnTypeDatabaseTypeName).ColumnTypeDatabaseTypeName(i) == "DATE"
		}
		for {
			if limit > 0 && len(sets) > 0 && len(sets[len(sets)-1].Rows) == limit {
				return sets, nil
			}
			err := rows.Next(values)
			if err == io.EOF {
				break
			}
			if err != nil {
				return sets, err
			}
			t := &sets[len(sets)-1]
			t.Rows = append(t.Rows, texts(values, dates))
		}
		if err := rows.(driver.RowsNextResultSet).NextResultSet(); err == io.EOF {
			return sets, nil
		} else if err != nil {
			return sets, err
		}
	}
}

// texts returns the values of a row as text. dates says which columns contain dates without a time;
// it may be nil.
func texts(values []driver.Value, dates []bool) []string {
	row := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			row[i] = "NULL"
		case string:
			row[i] = v
		case []byte:
			row[i] = string(v)
		case float64:
			row[i] = strconv.FormatFloat(v, 'f', -1, 64)
		case time.Time:
			layout := database.TimeFormat
			if dates != nil && dates[i] {
				layout = time.DateOnly
			}
			row[i] = v.Format(layout)
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	return row
}

// updateHint is the hint with which statements lock the rows that they read.
const updateHint = " WITH (UPDLOCK)"

// unlocked removes the lock hints if the tables are memory-optimized, because such tables have no
// locks: a transaction fails instead if another one has changed the same row.
func (s *session) unlocked(ctx context.Context, statement string) (string, error) {
	if !strings.Contains(statement, updateHint) {
		return statement, nil
	}
	inMemory, err := s.inMemory(ctx)
	if inMemory {
		statement = strings.ReplaceAll(statement, updateHint, "")
	}
	return statement, err
}

// inMemory reports whether the tables of the schema are memory-optimized. It asks the server,
// because the options may differ from those of the build.
func (s *session) inMemory(ctx context.Context) (bool, error) {
	if s.memoryAsked {
		return s.memory, nil
	}
	t, err := s.Query(ctx, "SELECT COUNT(*) FROM sys.tables WHERE OBJECTPROPERTY(object_id, 'TableIsMemoryOptimized') = 1", 1)
	if err != nil {
		return false, err
	}
	s.memoryAsked, s.memory = true, len(t.Rows) == 1 && t.Rows[0][0] != "0"
	return s.memory, nil
}

// babelfish is the name of the product in server.sql.
const babelfish = "Babelfish"

const whichProduct = "SELECT CASE WHEN @@VERSION LIKE 'Babelfish%' THEN 'Babelfish' ELSE 'SQL Server' END"

// isBabelfish reports whether the server is Babelfish.
func (s *session) isBabelfish(ctx context.Context) (bool, error) {
	if s.product == "" {
		t, err := s.Query(ctx, whichProduct, 1)
		if err != nil {
			return false, fmt.Errorf("ask which product the server is: %w", err)
		}
		if s.product = "SQL Server"; len(t.Rows) == 1 {
			s.product = t.Rows[0][0]
		}
	}
	return s.product == babelfish, nil
}

// hinted adds a hint with the maximum degree of parallelism to a query, because no session setting
// limits it.
func (s *session) hinted(query string) string {
	if s.maxDOP == 0 || strings.Contains(query, ";") || strings.Contains(query, "OPTION (") {
		return query
	}
	begin, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	begin, _, _ = strings.Cut(begin, "\n")
	if !strings.EqualFold(begin, "SELECT") && !strings.EqualFold(begin, "WITH") {
		return query
	}
	return fmt.Sprintf("%s\nOPTION (MAXDOP %d)", query, s.maxDOP)
}

// bounded runs a function that the driver cannot cancel. If the context ends, it breaks the
// session.
func (s *session) bounded(ctx context.Context, f func() error) error {
	if ctx.Done() != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		defer context.AfterFunc(ctx, s.Interrupt)()
	}
	return s.failed(f())
}

// Begin implements database.Session. It sends no statement, because the server counts
// statements.
func (s *session) Begin(ctx context.Context, _ database.Access) error {
	return s.bounded(ctx, func() error {
		// The driver keeps this context until the end of the transaction.
		_, err := s.conn.BeginTx(context.Background(), driver.TxOptions{})
		s.inTx = err == nil
		return err
	})
}

// Commit implements database.Session. After a failed commit, which memory-optimized tables may
// cause, the driver assumes that the transaction has ended. Only the server knows whether it has.
func (s *session) Commit(ctx context.Context) error {
	s.inTx = false
	return s.bounded(ctx, s.conn.Commit)
}

// Rollback implements database.Session. It sends no statement, because the server counts
// statements.
func (s *session) Rollback(ctx context.Context) error {
	if !s.inTx && !s.unsure {
		return nil
	}
	s.inTx, s.unsure = false, false
	return s.bounded(ctx, func() error {
		err := s.conn.Rollback()
		if number(err) == errNoTransaction { // the server has rolled it back
			return nil
		}
		return err
	})
}

// Interrupt implements database.Session: reads and writes fail at once.
func (s *session) Interrupt() {
	s.Interrupted.Store(true)
	s.interruptCall()
}

func (s *session) interruptCall() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.network != nil {
		// It fails only if the connection is already closed.
		_ = s.network.SetDeadline(time.Unix(1, 0))
	}
}

// Close implements database.Session. The server ends the work of a session when its connection
// ends.
func (s *session) Close() error {
	defer s.End()
	if !s.Interrupted.Load() {
		_ = s.network.SetWriteDeadline(time.Now().Add(lastWords))
	}
	err := s.conn.Close()
	if s.Interrupted.Load() || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Prepare implements database.Session. The driver sends each run in one round trip: a procedure
// call directly, and other statements to sp_executesql, whose plans the server caches by text. So
// Prepare sends nothing.
func (s *session) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	params, err := database.BindParams(q, in)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	call, isCall := parseCall(q)
	if len(database.Outputs(params)) > 0 && !isCall {
		return nil, fmt.Errorf("sql %s: output parameters outside the call of a procedure: %w", q.Name, errors.ErrUnsupported)
	}
	text, err := s.unlocked(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	text = s.hinted(text)
	if isCall {
		text = call.procedure
	}
	prepared, err := s.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, s.failed(fmt.Errorf("prepare %s: %w", q.Name, err))
	}
	st := &statement{
		session: s, prepared: prepared.(*mssql.Stmt), params: params, args: make([]driver.NamedValue, len(params)),
		calls: isCall || calls(q.Text), results: results{query: q, out: out},
	}
	for i, p := range params {
		st.args[i].Ordinal = i + 1
		if isCall {
			st.args[i].Name = call.names[i]
		}
		if p.Mode != database.In {
			st.outputs = append(st.outputs, newOutput(i, p))
		}
	}
	return st, nil
}
