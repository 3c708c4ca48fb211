package redis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"sledge/internal/job"
)

// reply is a raw reply in version 2 of the server's protocol (redis.io, "Redis serialization
// protocol specification"). Its methods read one value after another, so no value needs an object.
// After an invalid reply, err is the error and values are empty.
type reply struct {
	rest []byte
	err  error
}

// errReply means that a reply does not have the requested form.
var errReply = errors.New("the server's reply does not have the requested form")

// serverError is a server's error that we have parsed; it implements the driver's interface for
// them.
type serverError string

func (e serverError) Error() string { return string(e) }

// RedisError implements goredis.Error.
func (serverError) RedisError() {}

// line reads a line, and returns its kind and its text.
func (r *reply) line() (kind byte, text []byte) {
	end := bytes.IndexByte(r.rest, '\r')
	if r.err != nil || end < 1 || end+1 >= len(r.rest) {
		r.fail(errReply)
		return 0, nil
	}
	kind, text, r.rest = r.rest[0], r.rest[1:end], r.rest[end+2:]
	if kind == '-' {
		r.fail(serverError(job.Cut(string(text), job.LongestText)))
	}
	return kind, text
}

func (r *reply) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

// length parses the length of the following value; there is false for nil.
func (r *reply) length(text []byte) (n int, there bool) {
	n, err := strconv.Atoi(lent(text))
	if err != nil {
		r.fail(errReply)
	}
	if n < 0 {
		return 0, false
	}
	return n, r.err == nil
}

// list reads the beginning of a list, and returns the number of its values.
func (r *reply) list() int {
	kind, text := r.line()
	if kind != '*' {
		r.fail(errReply)
		return 0
	}
	n, _ := r.length(text)
	return n
}

// value reads a text or a number. The value is valid until the buffer changes. there is false for
// nil.
func (r *reply) value() (value []byte, there bool) {
	kind, text := r.line()
	switch kind {
	case ':', '+':
		return text, true
	case '$':
		n, there := r.length(text)
		if !there {
			return nil, false
		}
		if n+2 > len(r.rest) {
			break
		}
		value, r.rest = r.rest[:n], r.rest[n+2:]
		return value, true
	}
	r.fail(errReply)
	return nil, false
}

// askRaw sends a command and returns its raw reply.
func (s *session) askRaw(ctx context.Context, cmd *goredis.RawCmd) (*reply, error) {
	if err := s.do(ctx, cmd); err != nil {
		return nil, err
	}
	said := &reply{rest: cmd.Val()}
	if len(said.rest) > 0 && said.rest[0] == '-' {
		said.line()
		return nil, s.advised(said.err)
	}
	return said, nil
}

// askMany sends the commands of a queue together, and reads their raw replies, one after another,
// into buf.
func (s *session) askMany(ctx context.Context, q *queue, buf *bytes.Buffer) (*reply, error) {
	buf.Reset()
	q.fill()
	cmds := q.cmds[:0]
	for i := range q.firsts {
		first, last := q.span(i)
		cmds = append(cmds, goredis.NewRawWriteToCmd(ctx, buf, q.boxes[first:last:last]...))
	}
	q.cmds = cmds
	if err := s.doAll(ctx, cmds); err != nil {
		return nil, err
	}
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil && !errors.Is(err, goredis.Nil) {
			return nil, fmt.Errorf("%s: %w", cmd.Name(), err)
		}
	}
	return &reply{rest: buf.Bytes()}, nil
}
