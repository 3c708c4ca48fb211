package pgbench

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// Protocol is how statements are sent to the server.
type Protocol string

// The protocols.
const (
	Simple   Protocol = "simple"   // as text, with the values of variables in it
	Extended Protocol = "extended" // parsed in every transaction, with parameters
	Prepared Protocol = "prepared" // parsed once
)

// Protocols lists all protocols.
var Protocols = []Protocol{Simple, Extended, Prepared}

// Runner runs the transactions of a script on a session, for one client or for several in turn.
type Runner struct {
	name     string
	script   *Script
	on       workload.Connection
	protocol Protocol
	bound    []bound // by command
	buf      []byte
	failedAt int // the command with which the last transaction ended; -1 if it was done
}

// bound is what a Runner has for a command of a script.
type bound struct {
	ends      ends // of a statement that only begins or ends a transaction
	statement database.Statement
	fields    []any // for the variables: *sql.Null[int64] or *sql.Null[string]
	row       *database.Row

	done, failed, retried int64
	took                  time.Duration // of those that were done
}

// ends says whether a statement only begins or ends a transaction.
type ends int

const (
	neither ends = iota
	begins
	commits
	rollsBack
)

// ending are the statements that only begin or end a transaction, in every dialect.
var ending = map[string]ends{
	"BEGIN": begins, "START": begins, "END": commits, "COMMIT": commits, "ROLLBACK": rollsBack, "ABORT": rollsBack,
}

// endsOf returns whether a statement only begins or ends a transaction.
func endsOf(c *command) ends {
	if c.verb != statement || len(c.pieces) != 1 {
		return neither
	}
	words := strings.Fields(strings.ToUpper(c.pieces[0].text))
	if len(words) == 1 || len(words) == 2 && (words[1] == "TRANSACTION" || words[1] == "WORK") {
		return ending[words[0]]
	}
	return neither
}

// NewRunner returns a Runner of a script. Statements are prepared when they are first executed, because they may
// need tables that the script makes. name is that of the script in messages.
func NewRunner(name string, s *Script, c workload.Connection, p Protocol) *Runner {
	r := &Runner{name: name, script: s, on: c, protocol: p, bound: make([]bound, len(s.commands)), failedAt: -1}
	for i := range s.commands {
		r.bound[i].ends = endsOf(&s.commands[i])
	}
	return r
}

// Rehearse prepares the statements of the script without executing them, unless the script changes the schema.
func (r *Runner) Rehearse(ctx context.Context, c *Client) error {
	for _, one := range r.script.commands {
		if len(one.pieces) > 0 {
			switch word, _, _ := strings.Cut(strings.ToUpper(one.pieces[0].text), " "); word {
			case "CREATE", "DROP", "ALTER", "SET":
				return nil
			}
		}
	}
	for i := range r.script.commands {
		one := &r.script.commands[i]
		compound := strings.Contains(one.text, `\;`)
		if one.verb != statement || r.bound[i].ends != neither || compound {
			continue
		}
		if err := r.prepare(ctx, c, i); err != nil {
			return r.wrong(i, err)
		}
	}
	return nil
}

// wrong says in which command an error occurred. Commands count from 0, as pgbench counts them.
func (r *Runner) wrong(i int, err error) error {
	return fmt.Errorf("command %d at line %d of %s: %w", r.script.commands[i].number, r.script.commands[i].line, r.name, err)
}

// Do runs a transaction of a client: the commands of the script. If it is called again without Client.Next, it
// repeats the transaction with the same random numbers.
func (r *Runner) Do(ctx context.Context, c *Client) error {
	if c.begin() && r.failedAt >= 0 { // it is repeated because of that command
		r.bound[r.failedAt].failed--
		r.bound[r.failedAt].retried++
	}
	r.failedAt = -1
	inPipeline := false
	began := time.Now()
	for i := 0; i < len(r.script.commands); {
		one := &r.script.commands[i]
		next := i + 1
		var err error
		switch one.verb {
		case statement:
			err = r.run(ctx, c, i, inPipeline)
		case set:
			var v Value
			if v, err = one.expression(&c.State); err == nil {
				c.Variables[one.variable] = v
			}
		case ifTrue:
			var v Value
			if v, err = one.expression(&c.State); err == nil && !v.isTrue() {
				next = one.next
			}
		case otherwise:
			next = one.next
		case sleep:
			err = r.sleep(c, one.words)
		case shell, setShell:
			err = r.shell(ctx, c, one)
		case startPipeline:
			inPipeline = true
			err = r.on.Session.(database.Pipeliner).StartPipeline(ctx)
		case syncPipeline:
			err = r.on.Session.(database.Pipeliner).SyncPipeline(ctx)
		case endPipeline:
			inPipeline = false
			err = r.on.Session.(database.Pipeliner).EndPipeline(ctx)
		}
		if err == workload.ErrStopped {
			return err
		}
		b := &r.bound[i]
		if err != nil {
			b.failed++
			r.failedAt = i
			return r.wrong(i, err)
		}
		b.done++
		now := time.Now()
		b.took += now.Sub(began)
		began = now
		i = next
	}
	return nil
}

// Commands returns the times and counts of the commands.
func (r *Runner) Commands(kind string) (list []job.Command) {
	for i := range r.bound {
		one, b := &r.script.commands[i], &r.bound[i]
		if one.number < 0 {
			continue
		}
		list = append(list, job.Command{
			Kind: kind, Line: one.line, Text: one.text, Done: b.done, Failed: b.failed, Retried: b.retried, Seconds: b.took.Seconds(),
		})
	}
	return list
}

// run executes a statement.
func (r *Runner) run(ctx context.Context, c *Client, i int, inPipeline bool) error {
	one, b := &r.script.commands[i], &r.bound[i]
	if !inPipeline {
		switch b.ends {
		case begins:
			return r.on.Session.Begin(ctx, database.AtOnce)
		case commits:
			return r.on.Session.Commit(ctx)
		case rollsBack:
			return r.on.Session.Rollback(ctx)
		}
	}
	if r.protocol == Simple {
		return r.send(ctx, c, one)
	}
	if b.statement == nil || !b.fits(c, one.pieces) {
		if err := r.prepare(ctx, c, i); err != nil {
			return err
		}
	}
	r.fill(c, one, b)
	n, err := b.statement.Run(ctx, nil)
	if err != nil || one.keep == keepNone {
		return err
	}
	if err := checkRows(one, n); err != nil || n == 0 {
		return err
	}
	for column, name := range b.row.Columns {
		if err := c.put(one.prefix+name, b.row.Values[column]); err != nil {
			return err
		}
	}
	return nil
}

// checkRows returns an error if \gset did not get one row.
func checkRows(one *command, n int64) error {
	if one.keep == keepOne && n != 1 {
		return fmt.Errorf("expected one row, got %d", n)
	}
	return nil
}

// put gives a variable the text of a column.
func (c *Client) put(name, text string) error {
	if !isName(name) {
		return fmt.Errorf("gset: invalid variable name %q", name)
	}
	c.Variables[name] = Text(text)
	return nil
}

// send executes a statement as text.
func (r *Runner) send(ctx context.Context, c *Client, one *command) error {
	r.buf = r.buf[:0]
	for i := range one.pieces {
		p := &one.pieces[i]
		r.buf = append(r.buf, p.text...)
		if p.variable == "" {
			continue
		}
		if v, is := c.Variables[p.variable]; is {
			r.buf = v.append(r.buf)
		} else {
			r.buf = append(append(r.buf, ':'), p.variable...)
		}
	}
	text := unsafe.String(unsafe.SliceData(r.buf), len(r.buf)) // sessions do not retain it
	if one.keep == keepNone {
		return r.on.Session.Exec(ctx, text)
	}
	rows, err := r.on.Session.Query(ctx, strings.Clone(text), 0)
	if err != nil {
		return err
	}
	n := len(rows.Rows)
	if err := checkRows(one, int64(n)); err != nil || n == 0 {
		return err
	}
	for column, name := range rows.Columns {
		value := rows.Rows[n-1][column]
		if value == "NULL" {
			value = ""
		}
		if err := c.put(one.prefix+name, value); err != nil {
			return err
		}
	}
	return nil
}

// prepare prepares a statement for the variables of a client. A variable with a whole number is sent as such, any
// other as text, whose type the server finds.
func (r *Runner) prepare(ctx context.Context, c *Client, i int) (err error) {
	one, b := &r.script.commands[i], &r.bound[i]
	q := sqlfile.Query{Name: r.name, Unprepared: r.protocol == Extended}
	var text strings.Builder
	var fields []reflect.StructField
	for _, p := range one.pieces {
		text.WriteString(p.text)
		switch {
		case p.variable == "":
		case p.quoted:
			text.WriteString(":" + p.variable)
		default:
			name := "P" + strconv.Itoa(len(fields))
			q.Params = append(q.Params, name)
			text.WriteString(r.on.SQL.Placeholder(len(q.Params)))
			of := reflect.TypeFor[sql.Null[string]]()
			if b.statement == nil && c.Variables[p.variable].kind == integer { // else the kind has changed, so a text fits always
				of = reflect.TypeFor[sql.Null[int64]]()
			}
			fields = append(fields, reflect.StructField{Name: name, Type: of, Tag: reflect.StructTag(fmt.Sprintf("sql:%q", name))})
		}
	}
	q.Text = text.String()
	in := reflect.New(reflect.StructOf(fields))
	b.fields = nil
	for n := range fields {
		b.fields = append(b.fields, in.Elem().Field(n).Addr().Interface())
	}
	var out any
	if one.keep != keepNone {
		b.row = &database.Row{}
		out = b.row
	}
	b.statement, err = r.on.Session.Prepare(ctx, q, in.Interface(), out)
	return err
}

// fits reports whether the variables of a client can be put into the fields of a prepared statement.
func (b *bound) fits(c *Client, pieces []piece) bool {
	n := 0
	for i := range pieces {
		if p := &pieces[i]; p.variable != "" && !p.quoted {
			if _, whole := b.fields[n].(*sql.Null[int64]); whole {
				if k := c.Variables[p.variable].kind; k != integer && k != null {
					return false
				}
			}
			n++
		}
	}
	return true
}

// fill puts the variables of a client into the fields of a prepared statement. A variable without a value is NULL.
func (r *Runner) fill(c *Client, one *command, b *bound) {
	n := 0
	r.buf = r.buf[:0]
	for i := range one.pieces {
		p := &one.pieces[i]
		if p.variable == "" || p.quoted {
			continue
		}
		v := c.Variables[p.variable]
		switch field := b.fields[n].(type) {
		case *sql.Null[int64]:
			field.V, field.Valid = v.n, v.kind != null
		case *sql.Null[string]:
			if field.Valid = v.kind != null; v.kind == text {
				field.V = v.s
			} else if field.Valid {
				start := len(r.buf)
				r.buf = v.append(r.buf)
				field.V = unsafe.String(unsafe.SliceData(r.buf[start:]), len(r.buf)-start) // statements do not retain it
			}
		}
		n++
	}
}

// sleep pauses. It returns workload.ErrStopped if the run ends first.
func (r *Runner) sleep(c *Client, words []string) error {
	number, unit := words[0], "s"
	if number[0] == ':' {
		v, is := c.Variables[number[1:]]
		if !is {
			return fmt.Errorf("undefined variable %q", number[1:])
		}
		number = v.String()
	}
	if len(words) == 2 {
		unit = words[1]
	} else if digits := strings.TrimRight(number, "usm"); digits != number {
		number, unit = digits, number[len(digits):]
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return fmt.Errorf(`invalid duration %q for \sleep`, number)
	}
	timer := time.NewTimer(time.Duration(n*unitsOfSleep[unit]) * time.Microsecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.on.Stopped:
		return workload.ErrStopped
	}
}

// shell runs a program, in the system's shell.
func (r *Runner) shell(ctx context.Context, c *Client, one *command) error {
	words := make([]string, len(one.words))
	for i, word := range one.words {
		switch {
		case strings.HasPrefix(word, "::"):
			word = word[1:]
		case strings.HasPrefix(word, ":"):
			v, is := c.Variables[word[1:]]
			if !is {
				return fmt.Errorf("undefined variable %q", word[1:])
			}
			word = v.String()
		}
		words[i] = word
	}
	output, err := exec.CommandContext(ctx, "/bin/sh", "-c", strings.Join(words, " ")).Output()
	if err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	if one.verb == shell {
		return nil
	}
	first, _, _ := strings.Cut(string(output), "\n")
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	if err != nil {
		return fmt.Errorf("%s must print a whole number, not %q", words[0], first)
	}
	c.Variables[one.variable] = Int(n)
	return nil
}
