package redis

import (
	"context"
	"fmt"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// callStatement is a call of a function or a script that returns a table.
type callStatement struct {
	session *session
	query   sqlfile.Query
	c       *command
	out     any

	queue   queue
	cmds    []goredis.Cmder
	names   []string // names of the bound columns
	columns []any
}

// prepareCall prepares a call. It first loads the script of a schema into the server.
func (s *session) prepareCall(ctx context.Context, q sqlfile.Query, c *command, out any) (database.Statement, error) {
	if c.verb == "EVALSHA" {
		name := c.args[0].literal
		body, err := s.ask(ctx, "HGET", s.options.Key(scriptsKey), name)
		if err != nil {
			return nil, err
		}
		if body == nil {
			return nil, fmt.Errorf("sql %s: the schema has no script %s", q.Name, name)
		}
		if c.args[0].literal, err = s.learn(ctx, text(body)); err != nil {
			return nil, err
		}
	}
	return &callStatement{session: s, query: q, c: c, out: out}, nil
}

// learn loads a script into the server, and returns the hash by which EVALSHA calls it.
func (s *session) learn(ctx context.Context, script string) (string, error) {
	sha, err := s.ask(ctx, "SCRIPT", "LOAD", script)
	return text(sha), err
}

// prepareLua creates a script from a query. The script gets the parameters as ARGV.
func (s *session) prepareLua(ctx context.Context, q sqlfile.Query, params []database.Param, out any) (database.Statement, error) {
	sha, err := s.learn(ctx, s.prelude()+q.Text)
	if err != nil {
		return nil, fmt.Errorf("sql %s: %w", q.Name, err)
	}
	c := &command{verb: s.evaluator("EVALSHA"), shape: table, args: []argument{{literal: sha}, {literal: "0"}}}
	for _, p := range params {
		c.args = append(c.args, argument{parts: []part{{pointer: p.Pointer}}})
	}
	return &callStatement{session: s, query: q, c: c, out: out}, nil
}

// Run implements database.Statement.
func (st *callStatement) Run(ctx context.Context, each func() error) (int64, error) {
	var answer any
	if st.c.shape == routineList {
		var err error
		if answer, err = st.session.routines(ctx, st.c); err != nil {
			return 0, err
		}
	} else {
		st.queue.reset()
		st.c.enqueue(&st.queue)
		st.cmds = st.queue.commands(st.cmds[:0])
		cmd := st.cmds[0].(*goredis.Cmd)
		if err := st.session.do(ctx, cmd); err != nil {
			return 0, st.session.advised(err)
		}
		answer = cmd.Val()
	}
	list, _ := answer.([]any)
	if len(list) == 0 {
		return 0, fmt.Errorf("sql %s: it returned %v instead of a table", st.query.Name, answer)
	}
	if st.out == nil {
		return int64(len(list) - 1), nil
	}
	if err := st.bind(list[0]); err != nil {
		return 0, err
	}
	var n int64
	for _, row := range list[1:] {
		values, _ := row.([]any)
		for i, target := range st.columns {
			var value any
			if i < len(values) {
				value = values[i]
			}
			if err := database.Assign(target, value); err != nil {
				return n, err
			}
		}
		n++
		if err := called(each); err != nil {
			return n, err
		}
	}
	return n, nil
}

// bind binds the columns that a reply names, unless the previous reply named the same ones.
func (st *callStatement) bind(first any) error {
	list, _ := first.([]any)
	same := len(list) == len(st.names) && st.columns != nil
	for i := 0; same && i < len(list); i++ {
		name, _ := list[i].(string)
		same = name == st.names[i]
	}
	if same {
		return nil
	}
	st.names = texts(first)
	var err error
	st.columns, err = database.BindColumns(st.query, st.names, st.out)
	return err
}

// tableOf converts the result of a script into a table.
func tableOf(answer any, limit int) (database.Table, error) {
	list, _ := answer.([]any)
	if len(list) == 0 {
		return database.Table{}, fmt.Errorf("a script returned %v instead of a table", answer)
	}
	t := database.Table{Columns: texts(list[0])}
	for _, row := range list[1:] {
		if limit > 0 && len(t.Rows) == limit {
			break
		}
		t.Rows = append(t.Rows, slices.Clip(texts(row)))
	}
	return t, nil
}
