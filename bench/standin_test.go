//go:build bench && linux

package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// standIn imitates a PostgreSQL server with a schema, but does no work: it forwards each statement
// text to the real server once, and then repeats the answer. It implements the part of the protocol
// that Sledge needs. Its answers come from a real server, and it uses almost no CPU even with
// thousands of connections. Its counts are the numbers of its answers, so they can be compared with
// the clients' counts.
type standIn struct {
	real       *pgconn.HijackedConn
	asked      uint64 // number of statements that are prepared on the real server
	statements map[string]*standInStatement
	queries    map[string][]byte // answers to simple queries
	greeting   []byte

	poll    int
	clients map[int32]*standInClient
	buffer  [64 << 10]byte

	transactions, orders int64
}

// standInStatement is a statement text that clients have prepared.
type standInStatement struct {
	text        string
	name        string // on the real server
	description []byte
	answer      []byte // nil before its first execution
	counts      bool   // each execution counts as a new order
}

// standInClient is one connection. There are thousands of them.
type standInClient struct {
	fd       int
	greeted  bool
	failed   bool // messages are ignored until Sync
	prepared map[string]*standInStatement
	bound    *standInStatement
	rest     []byte // beginning of an incomplete message
}

// The settings of a stand-in.
const (
	standInSource = "SLEDGE_BENCH_STANDS_IN_FOR" // connection string of the real server
	standInProbe  = "SLEDGE_BENCH_PROBE"         // query for the count of orders
	standInCount  = "SLEDGE_BENCH_COUNTER"       // query for the count of transactions
)

// standInForPostgreSQL listens on a free port, prints it, and answers until it is killed.
func standInForPostgreSQL() error {
	conn, err := pgconn.Connect(context.Background(), os.Getenv(standInSource))
	if err != nil {
		return err
	}
	s := &standIn{statements: map[string]*standInStatement{}, queries: map[string][]byte{}, clients: map[int32]*standInClient{}}
	if s.real, err = conn.Hijack(); err != nil {
		return err
	}
	if s.greeting, err = s.greet(); err != nil {
		return err
	}
	listener, port, err := listen()
	if err != nil {
		return err
	}
	if s.poll, err = syscall.EpollCreate1(0); err != nil {
		return err
	}
	if err := s.watch(listener); err != nil {
		return err
	}
	fmt.Println(port)
	events := make([]syscall.EpollEvent, 256)
	for {
		n, err := syscall.EpollWait(s.poll, events, -1)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		for _, e := range events[:max(n, 0)] {
			if int(e.Fd) == listener {
				err = s.accept(listener)
			} else if err = s.serve(s.clients[e.Fd]); err != nil {
				delete(s.clients, e.Fd)
				err = syscall.Close(int(e.Fd)) // this also informs a client that is still there
			}
			if err != nil {
				return err
			}
		}
	}
}

func (s *standIn) watch(fd int) error {
	return syscall.EpollCtl(s.poll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func (s *standIn) accept(listener int) error {
	fd, _, err := syscall.Accept4(listener, syscall.SOCK_NONBLOCK)
	if err != nil {
		return fmt.Errorf("accept connection %d: %w", len(s.clients)+1, err)
	}
	_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
	s.clients[int32(fd)] = &standInClient{fd: fd, prepared: map[string]*standInStatement{}}
	return s.watch(fd)
}

// greet returns the server's messages after a log-in.
func (s *standIn) greet() ([]byte, error) {
	messages := []pgproto3.BackendMessage{&pgproto3.AuthenticationOk{}}
	for name, value := range s.real.ParameterStatuses {
		messages = append(messages, &pgproto3.ParameterStatus{Name: name, Value: value})
	}
	messages = append(messages, &pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	return encode(nil, messages...)
}

func encode(to []byte, messages ...pgproto3.BackendMessage) ([]byte, error) {
	var err error
	for _, m := range messages {
		if to, err = m.Encode(to); err != nil {
			return nil, err
		}
	}
	return to, nil
}

// serve reads what a client has sent and answers it. An error ends the connection.
func (s *standIn) serve(c *standInClient) error {
	n, err := syscall.Read(c.fd, s.buffer[:])
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return nil
	}
	if err != nil {
		return err
	}
	if n == 0 {
		return errHungUp
	}
	input := s.buffer[:n]
	if len(c.rest) > 0 {
		input = append(c.rest, input...)
	}
	var out []byte
	for {
		head := 1 // the type
		if !c.greeted {
			head = 0
		}
		if len(input) < head+4 {
			break
		}
		length := head + int(binary.BigEndian.Uint32(input[head:]))
		if length < head+4 {
			return errors.New("a message is shorter than its length")
		}
		if len(input) < length {
			break
		}
		if out, err = s.answer(out, c, input[:length], input[head+4:length]); err != nil {
			return err
		}
		input = input[length:]
	}
	c.rest = nil
	if len(input) > 0 {
		c.rest = slices.Clone(input)
	}
	for len(out) > 0 {
		n, err := syscall.Write(c.fd, out)
		if err != nil {
			return err // also for a client that does not read its answers
		}
		out = out[n:]
	}
	return nil
}

var errHungUp = errors.New("the client hung up")

// answer appends the answer to a message.
func (s *standIn) answer(out []byte, c *standInClient, message, body []byte) ([]byte, error) {
	if !c.greeted {
		const encrypt, cancel = 80877103, 80877102
		switch code := binary.BigEndian.Uint32(body); code {
		case encrypt:
			return append(out, 'N'), nil
		case cancel:
			return out, errHungUp
		}
		c.greeted = true
		return append(out, s.greeting...), nil
	}
	if c.failed && message[0] != 'S' {
		return out, nil
	}
	switch message[0] {
	case 'S':
		c.failed = false
		return encode(out, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	case 'Q':
		return s.query(out, string(bytes.TrimSuffix(body, []byte{0})))
	case 'P':
		return s.parse(out, c, body)
	case 'D':
		if st := c.prepared[word(body[1:])]; st != nil {
			return append(out, st.description...), nil
		}
	case 'B':
		_, rest, _ := bytes.Cut(body, []byte{0}) // the portal
		if c.bound = c.prepared[word(rest)]; c.bound != nil {
			if c.bound.answer == nil {
				refused, err := s.execute(c.bound, body)
				if err != nil || refused != nil {
					c.failed = true
					return append(out, refused...), err
				}
			}
			return encode(out, &pgproto3.BindComplete{})
		}
	case 'E':
		if c.bound != nil {
			s.transactions++
			if c.bound.counts {
				s.orders++
			}
			if n, is := s.counted(c.bound.text); is {
				return encode(out, &pgproto3.DataRow{Values: [][]byte{n}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
			}
			return append(out, c.bound.answer...), nil
		}
	case 'C', 'H': // Close and Flush need no work
		return out, nil
	}
	return out, fmt.Errorf("there is no answer to a message of type %c", message[0]) // Terminate is one
}

// word returns the text before a zero byte.
func word(text []byte) string {
	before, _, _ := bytes.Cut(text, []byte{0})
	return string(before)
}

// counted returns the stand-in's own count if the text requests one.
func (s *standIn) counted(text string) ([]byte, bool) {
	switch strings.TrimSpace(text) {
	case os.Getenv(standInProbe):
		return strconv.AppendInt(nil, 30_010+s.orders, 10), true
	case os.Getenv(standInCount):
		return strconv.AppendInt(nil, s.transactions, 10), true
	}
	return nil, false
}

// query answers a simple query.
func (s *standIn) query(out []byte, text string) ([]byte, error) {
	s.transactions++
	if n, is := s.counted(text); is {
		return encode(out, &pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("count"), DataTypeOID: 20, DataTypeSize: 8}}},
			&pgproto3.DataRow{Values: [][]byte{n}}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	}
	if answer, known := s.queries[text]; known {
		return append(out, answer...), nil
	}
	answer, err := s.ask(&pgproto3.Query{String: text})
	if err != nil {
		return out, err
	}
	s.queries[text] = answer
	return append(out, answer...), nil
}

// ask sends messages to the real server and returns all of its answer.
func (s *standIn) ask(messages ...pgproto3.FrontendMessage) ([]byte, error) {
	for _, m := range messages {
		s.real.Frontend.Send(m)
	}
	if err := s.real.Frontend.Flush(); err != nil {
		return nil, err
	}
	var answer []byte
	for {
		m, err := s.real.Frontend.Receive()
		if err != nil {
			return nil, err
		}
		if answer, err = encode(answer, m); err != nil {
			return nil, err
		}
		if _, last := m.(*pgproto3.ReadyForQuery); last {
			return answer, nil
		}
	}
}

// rows are the types of messages in an answer, except errors.
const rows = "123CDINTZnst"

// without removes messages of some types from an answer.
func without(answer []byte, types string) []byte {
	var rest []byte
	for len(answer) > 0 {
		length := 1 + int(binary.BigEndian.Uint32(answer[1:]))
		if !strings.ContainsRune(types, rune(answer[0])) {
			rest = append(rest, answer[:length]...)
		}
		answer = answer[length:]
	}
	return rest
}

// parse prepares a statement. All clients share statements with the same text.
func (s *standIn) parse(out []byte, c *standInClient, body []byte) ([]byte, error) {
	var asked pgproto3.Parse
	if err := asked.Decode(body); err != nil {
		return out, err
	}
	st := s.statements[asked.Query]
	if st == nil {
		s.asked++
		st = &standInStatement{text: asked.Query, name: strconv.FormatUint(s.asked, 10), counts: strings.Contains(asked.Query, "neword(")}
		described, err := s.ask(&pgproto3.Parse{Name: st.name, Query: asked.Query, ParameterOIDs: asked.ParameterOIDs},
			&pgproto3.Describe{ObjectType: 'S', Name: st.name}, &pgproto3.Sync{})
		if err != nil {
			return out, err
		}
		if refused := without(described, rows); len(refused) > 0 {
			c.failed = true
			return append(out, refused...), nil
		}
		st.description = without(described, "1Z")
		s.statements[asked.Query] = st
	}
	c.prepared[asked.Name] = st
	return encode(out, &pgproto3.ParseComplete{})
}

// execute runs a statement with a client's parameters on the real server, and keeps the answer or
// returns the server's error. It repeats a new order that was rolled back, because the kept answer
// must come from a committed new order.
func (s *standIn) execute(st *standInStatement, bind []byte) (refused []byte, err error) {
	var asked pgproto3.Bind
	if err := asked.Decode(bind); err != nil {
		return nil, err
	}
	asked.PreparedStatement, asked.DestinationPortal = st.name, ""
	for {
		answer, err := s.ask(&asked, &pgproto3.Execute{}, &pgproto3.Sync{})
		if err != nil {
			return nil, err
		}
		if refused := without(answer, rows); len(refused) > 0 {
			return refused, nil
		}
		answer = without(answer, "2Z")
		rolledBack, err := encode(nil, &pgproto3.DataRow{Values: [][]byte{{'0'}}})
		if err != nil || !st.counts || !bytes.HasPrefix(answer, rolledBack) {
			st.answer = answer
			return nil, err
		}
	}
}
