package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// session is a database.Session over one connection of the driver. A session that claims the database
// opens a second one, claimant.
//
// In a transaction, reads are executed at once, with a WATCH if the .redis file has one; writes
// wait in a queue until the commit sends them as one MULTI. If another client has changed a watched
// key meanwhile, EXEC does nothing and the commit fails with errConflict. A load sends the queue
// whenever it reaches options.Pipeline commands, in a MULTI that the commit ends.
type session struct {
	options   *Options
	network   net.Conn // the connection below conn, which Interrupt breaks
	client    *goredis.Client
	conn      *goredis.Conn
	id        string // the server's number of the connection
	readsOnly bool   // the server knows EVAL_RO

	inTx    bool
	multi   bool // MULTI was sent
	queue   queue
	layouts map[string]layout // layouts read so far

	answers  *answers                // nil until SQL is executed
	foreseen []string                // SQL that will be executed
	copying  func(done, total int64) // receives the progress of copying rows; nil outside foresee

	claimant *session           // its connection's name is the claim; nil if this session has claimed nothing
	release  context.CancelFunc // releases the claim; nil if it is not held
	beating  sync.WaitGroup     // the goroutine that keeps the claimant's connection open

	database.Interruption
}

// watch interrupts a call when ctx ends. Pass its result to ended. It costs nothing if ctx cannot
// be cancelled.
func (s *session) watch(ctx context.Context) (stop func() bool, err error) {
	if ctx.Done() == nil {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return context.AfterFunc(ctx, s.interruptCall), nil
}

// ended returns the error of a call, given the driver's error and the result of watch.
func (s *session) ended(ctx context.Context, stop func() bool, err error) error {
	err = database.Short(err)
	if stop != nil && !stop() {
		s.Interrupted.Store(true) // the connection is broken, so it counts as interrupted
		if err != nil {
			err = errors.Join(ctx.Err(), err)
		}
	}
	if errors.Is(err, io.EOF) && !s.Interrupted.Load() {
		return fmt.Errorf("the server has ended the connection: %w", err)
	}
	return s.Ended(err)
}

// do sends one command and waits for its answer.
func (s *session) do(ctx context.Context, cmd goredis.Cmder) error {
	stop, err := s.watch(ctx)
	if err != nil {
		return err
	}
	return s.ended(ctx, stop, s.conn.Process(context.Background(), cmd))
}

// doAll sends commands together and waits for their replies. It returns the error of the
// connection; the server's error for a command is in the command.
func (s *session) doAll(ctx context.Context, cmds []goredis.Cmder) error {
	if len(cmds) == 1 {
		return notServers(s.do(ctx, cmds[0]))
	}
	stop, err := s.watch(ctx)
	if err != nil {
		return err
	}
	pipe := s.conn.Pipeline()
	for _, cmd := range cmds {
		if err := pipe.Process(context.Background(), cmd); err != nil {
			return err
		}
	}
	_, err = pipe.Exec(context.Background())
	return s.ended(ctx, stop, notServers(err))
}

// notServers returns an error, unless it is a server's error.
func notServers(err error) error {
	if codeOf(err) != "" || errors.Is(err, goredis.Nil) {
		return nil
	}
	return err
}

// ask sends a command and returns the server's reply. Redis' null reply is nil.
func (s *session) ask(ctx context.Context, args ...any) (any, error) {
	cmd := goredis.NewCmd(context.Background(), args...)
	err := s.do(ctx, cmd)
	if errors.Is(err, goredis.Nil) {
		err = nil
	}
	return cmd.Val(), s.advised(err)
}

// advised adds advice to a server's error.
func (s *session) advised(err error) error {
	err = database.Short(err)
	switch codeOf(err) {
	case "NOPERM":
		return fmt.Errorf("%w: to grant user %s the rights it needs, run ACL SETUSER %[2]s ~%s:* +@all -@admin +client|list +client|kill",
			err, s.options.User, s.options.Prefix)
	case "OOM":
		return fmt.Errorf("%w Raise the server's setting maxmemory", err)
	case "LOADING":
		return fmt.Errorf("%w: wait until it has read its file", err)
	}
	if !isUnknown(err) {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), ", with args") // the arguments may contain a whole library
	if strings.Contains(text, "FUNCTION") {
		return fmt.Errorf("%w: functions came with %s 7.0: set option %s to %s", serverError(text), title, s.options.Name("routines"), scripts)
	}
	return fmt.Errorf("%w: Sledge needs this command of %s 7.0: the server is older, or its setting rename-command has removed the command", serverError(text), title)
}

// texts returns the values of a reply as text.
func texts(answer any) []string {
	list, _ := answer.([]any)
	found := make([]string, len(list))
	for i, v := range list {
		found[i] = text(v)
	}
	return found
}

// text returns a value of a reply as text.
func text(value any) string {
	if value == nil {
		return "NULL"
	}
	return fmt.Sprint(value)
}

// Exec implements database.Session. The statement is one command. If it has several lines, the
// lines after the first are its last argument, unchanged. Code that begins with #! is a library of
// functions and is loaded.
func (s *session) Exec(ctx context.Context, statement string) error {
	if strings.HasPrefix(strings.TrimSpace(statement), "#!") { // a library of functions
		statement = "FUNCTION LOAD REPLACE\n" + strings.TrimSpace(statement)
	}
	first, rest, has := strings.Cut(strings.TrimSpace(statement), "\n")
	commands, err := s.parse(sqlfile.Query{Name: "statement", Text: first}, nil)
	if err != nil {
		return err
	}
	for i := range commands {
		c := &commands[i]
		if has {
			c.args = append(c.args, argument{literal: rest})
		}
		if !c.writes() {
			if _, err := s.ask(ctx, c.plain()...); err != nil {
				return err
			}
			continue
		}
		c.enqueue(&s.queue)
	}
	if s.inTx {
		return nil
	}
	_, err = s.flushAlone(ctx)
	return err
}

// Query implements database.Session.
func (s *session) Query(ctx context.Context, statement string, limit int) (database.Table, error) {
	switch languageOf(statement) {
	case inSQL:
		a, err := s.answering(ctx, statement)
		if err != nil {
			return database.Table{}, err
		}
		return a.Query(ctx, statement, limit)
	case inLua:
		said, err := s.ask(ctx, s.evaluator("EVAL"), s.prelude()+statement, 0)
		if err != nil {
			return database.Table{}, err
		}
		return tableOf(said, limit)
	}
	var row database.Row
	st, err := s.Prepare(ctx, sqlfile.Query{Name: "query", Text: statement}, nil, &row)
	if err != nil {
		return database.Table{}, err
	}
	var t database.Table
	_, err = st.Run(ctx, func() error {
		t.Rows = append(t.Rows, append([]string(nil), row.Values...))
		if len(t.Rows) == limit {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	t.Columns = row.Columns
	return t, err
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough rows were read")

// language is the language of a text.
type language int

const (
	inCommands language = iota
	inSQL
	inLua
)

// languageOf returns the language of a text, by its first word.
func languageOf(text string) language {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.TrimSpace(word) {
	case "SELECT", "select", "WITH", "with":
		return inSQL
	case "local", "return":
		return inLua
	}
	return inCommands
}

// evaluator returns the command that runs a script, in its read-only form if the server has one,
// because Server.Counter does not count that.
func (s *session) evaluator(command string) string {
	if s.readsOnly {
		return command + "_RO"
	}
	return command
}

// prelude returns the functions that scripts may call besides the server's.
func (s *session) prelude() string { return Prelude(s.options) }

// Prelude returns a Lua function that returns the names of a schema's keys.
func Prelude(o *Options) string {
	return "local function key(...) return '" + o.Prefix + ":' .. table.concat({...}, ':') end\n"
}

// Begin implements database.Session.
func (s *session) Begin(context.Context, database.Access) error {
	s.inTx, s.multi = true, false
	s.queue.reset()
	return nil
}

// Commit implements database.Session.
func (s *session) Commit(ctx context.Context) error {
	if !s.inTx {
		return nil
	}
	s.queue.begin() // the counter counts this command
	s.queue.put(committed)
	s.queue.put("committed")
	_, err := s.flush(ctx, true)
	if err == nil || errors.Is(err, errConflict) { // in both cases the server has ended the transaction
		s.inTx, s.multi = false, false
	}
	s.queue.reset()
	return err
}

// Rollback implements database.Session. Queued commands were not sent, so it only ends the WATCH,
// or the MULTI of a load.
func (s *session) Rollback(ctx context.Context) error {
	if !s.inTx {
		return nil
	}
	s.inTx = false
	s.queue.reset()
	end := "UNWATCH"
	if s.multi {
		end = "DISCARD"
	}
	s.multi = false
	_, err := s.ask(ctx, end)
	if err != nil && codeOf(err) == "ERR" && end == "DISCARD" { // EXEC has already ended the transaction
		err = nil
	}
	return err
}

// flushAlone sends the queue as its own transaction, and returns the replies.
func (s *session) flushAlone(ctx context.Context) ([]any, error) {
	s.multi = false
	answers, err := s.flush(ctx, true)
	s.multi = false
	s.queue.reset()
	return answers, err
}

// flush sends the queue, after a MULTI if none was sent. If end is true it sends EXEC and returns
// the replies.
func (s *session) flush(ctx context.Context, end bool) ([]any, error) {
	cmds := s.queue.cmds[:0]
	if !s.multi {
		cmds = append(cmds, goredis.NewCmd(context.Background(), "MULTI"))
	}
	cmds = s.queue.commands(cmds)
	if end {
		cmds = append(cmds, goredis.NewCmd(context.Background(), "EXEC"))
	}
	s.queue.cmds = cmds
	s.multi = true
	if err := s.doAll(ctx, cmds); err != nil {
		return nil, err
	}
	var exec *goredis.Cmd
	if end {
		exec = cmds[len(cmds)-1].(*goredis.Cmd)
		cmds = cmds[:len(cmds)-1]
	}
	for _, cmd := range cmds { // the first command that could not be queued has the reason
		if err := cmd.Err(); err != nil {
			if end {
				s.multi = false
			}
			return nil, s.advised(err)
		}
	}
	if !end {
		return nil, nil
	}
	if err := exec.Err(); err != nil {
		if errors.Is(err, goredis.Nil) {
			return nil, errConflict
		}
		return nil, err
	}
	answers, _ := exec.Val().([]any)
	for _, answer := range answers {
		if err, failed := answer.(error); failed && !errors.Is(err, goredis.Nil) {
			return answers, fmt.Errorf("a command of a transaction failed, but the others did not: %w", err)
		}
	}
	return answers, nil
}

// Cancel implements database.Session. The server cannot end a running command, but it can unblock a
// waiting one.
func (s *session) Cancel(ctx context.Context) error {
	other, err := connect(ctx, s.options, database.Observer)
	if err != nil {
		return err
	}
	_, err = other.(*session).ask(ctx, "CLIENT", "UNBLOCK", s.id, "ERROR")
	return errors.Join(err, other.Close())
}

// Interrupt implements database.Session.
func (s *session) Interrupt() {
	s.Interrupted.Store(true)
	s.interruptCall()
}

// interruptCall makes reads and writes of the connection fail at once.
func (s *session) interruptCall() {
	// It fails only if the connection is already closed.
	_ = s.network.SetDeadline(time.Unix(1, 0))
}

// Close implements database.Session.
func (s *session) Close() error {
	if s.release != nil {
		s.release()
		s.beating.Wait()
	}
	if s.claimant != nil {
		s.claimant.abandon()
	}
	var err error
	if s.answers != nil {
		err = s.answers.Close()
		s.answers = nil
	}
	s.abandon()
	return err
}

// abandon closes the connection, without waiting for the server.
func (s *session) abandon() {
	if s.conn != nil {
		_ = s.conn.Close() // the connection is closed in any case
		_ = s.client.Close()
		s.conn = nil
	}
	if s.network != nil {
		_ = s.network.Close()
	}
}

// Prepare implements database.Session.
func (s *session) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	params, err := database.BindParams(q, in)
	if err != nil {
		return nil, err
	}
	if err := database.NoOutputs(q, params); err != nil {
		return nil, err
	}
	switch languageOf(q.Text) {
	case inSQL:
		return s.prepareSQL(ctx, q, in, out)
	case inLua:
		return s.prepareLua(ctx, q, params, out)
	}
	return s.prepareCommands(ctx, q, params, out)
}
