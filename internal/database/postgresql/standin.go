package postgresql

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// standIn is Database.StandIn.
var standIn = &database.StandIn{
	Options: func(host string, port int) option.Values {
		return option.Values{"host": host, "port": strconv.Itoa(port), "ssl_mode": "disable", "no_superuser": "true"}
	},
	New: newStandIn,
}

// standInServer answers in place of a server. Its answers are encoded when it starts, so that it needs
// less CPU time for a statement than the client does.
type standInServer struct {
	answers    *database.Answers
	byText     map[string]*encodedAnswer
	bindDone   []byte
	lastNumber atomic.Uint32 // of a session's process
}

// encodedAnswer is an answer in messages of the protocol.
type encodedAnswer struct {
	columns []byte // a description of the columns, or NoData
	rows    []byte // the rows, and the completion of the command
	ends    bool   // the statement is a whole transaction
}

// newStandIn is StandIn.New.
func newStandIn(a *database.Answers) (serve func(net.Conn) error, err error) {
	s := &standInServer{answers: a, byText: map[string]*encodedAnswer{}}
	if s.bindDone, err = (&pgproto3.BindComplete{}).Encode(nil); err != nil {
		return nil, err
	}
	version, err := a.SQL.Query("server.version")
	if err != nil {
		return nil, err
	}
	if s.byText[version.Text], err = encodeAnswer(oneValue("a stand-in of Sledge")); err != nil {
		return nil, err
	}
	err = a.Each(func(q sqlfile.Query, answer database.Answer) (err error) {
		s.byText[q.Text], err = encodeAnswer(answer)
		return err
	})
	return s.serve, err
}

// oneValue is an answer with one text.
func oneValue(text string) database.Answer {
	return database.Answer{Columns: []schema.Column{{Type: schema.Varchar}}, Rows: [][]string{{text}}}
}

// encodeAnswer encodes an answer.
func encodeAnswer(a database.Answer) (*encodedAnswer, error) {
	e := &encodedAnswer{ends: a.Ends}
	tag := "UPDATE 1"
	var err error
	if len(a.Columns) == 0 {
		e.columns, err = (&pgproto3.NoData{}).Encode(nil)
	} else {
		tag = fmt.Sprintf("SELECT %d", len(a.Rows))
		var d pgproto3.RowDescription
		for _, c := range a.Columns {
			d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte(c.Name), DataTypeOID: typeNumbers[c.Type], DataTypeSize: -1, TypeModifier: -1})
		}
		e.columns, err = d.Encode(nil)
	}
	if err != nil {
		return nil, err
	}
	for _, row := range a.Rows {
		var r pgproto3.DataRow
		for _, value := range row {
			r.Values = append(r.Values, []byte(value))
		}
		if e.rows, err = r.Encode(e.rows); err != nil {
			return nil, err
		}
	}
	e.rows, err = (&pgproto3.CommandComplete{CommandTag: []byte(tag)}).Encode(e.rows)
	return e, err
}

// typeNumbers are the numbers of PostgreSQL's types.
var typeNumbers = map[schema.Type]uint32{
	schema.Integer: pgtype.Int4OID, schema.SmallInteger: pgtype.Int2OID, schema.BigInteger: pgtype.Int8OID, schema.Decimal: pgtype.NumericOID,
	schema.Char: pgtype.BPCharOID, schema.Varchar: pgtype.VarcharOID, schema.Date: pgtype.DateOID, schema.Timestamp: pgtype.TimestamptzOID, schema.Bytes: pgtype.ByteaOID,
}

// serve answers the requests of a connection until its client ends it.
func (s *standInServer) serve(conn net.Conn) error {
	c := &standInSession{standInServer: s, conn: conn, from: pgproto3.NewBackend(conn, conn), number: s.lastNumber.Add(1), prepared: map[string]*encodedAnswer{}}
	if err := c.logIn(); err != nil {
		return err
	}
	for {
		message, err := c.from.Receive()
		if err != nil {
			return err
		}
		if _, ends := message.(*pgproto3.Terminate); ends {
			return nil
		}
		if err := c.answer(message); err != nil {
			return err
		}
	}
}

// noTransaction is the state of a session between transactions. The stand-in knows only statements
// that are whole transactions.
const noTransaction = 'I'

// standInSession is a connection of a stand-in.
type standInSession struct {
	*standInServer
	conn     net.Conn
	from     *pgproto3.Backend
	number   uint32 // of the session's process
	prepared map[string]*encodedAnswer
	bound    *encodedAnswer
	skips    bool // a message has failed, so all others until Sync are skipped
	out      []byte
}

// logIn accepts any user, without encryption.
func (c *standInSession) logIn() error {
	for {
		message, err := c.from.ReceiveStartupMessage()
		if err != nil {
			return err
		}
		switch message.(type) {
		case *pgproto3.SSLRequest, *pgproto3.GSSEncRequest:
			if _, err := c.conn.Write([]byte{'N'}); err != nil {
				return err
			}
		case *pgproto3.StartupMessage:
			for _, m := range []pgproto3.BackendMessage{
				&pgproto3.AuthenticationOk{},
				&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"},
				&pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"},
				&pgproto3.BackendKeyData{ProcessID: c.number, SecretKey: []byte{0, 0, 0, 0}},
				&pgproto3.ReadyForQuery{TxStatus: noTransaction},
			} {
				c.add(m)
			}
			return c.flush()
		default:
			return errors.New("the stand-in cancels no statements")
		}
	}
}

// add adds a message to the answer. The messages of a stand-in always encode.
func (c *standInSession) add(m pgproto3.BackendMessage) {
	if out, err := m.Encode(c.out); err == nil {
		c.out = out
	}
}

// flush sends the answer.
func (c *standInSession) flush() error {
	_, err := c.conn.Write(c.out)
	c.out = c.out[:0]
	return err
}

// answer answers a message. An answer to an extended query is sent at its end, as a server does.
func (c *standInSession) answer(message pgproto3.FrontendMessage) error {
	if _, ends := message.(*pgproto3.Sync); c.skips && !ends {
		return nil
	}
	switch m := message.(type) {
	case *pgproto3.Bind:
		if c.bound = c.prepared[m.PreparedStatement]; c.bound == nil {
			c.refuse(m.PreparedStatement)
			return nil
		}
		c.out = append(c.out, c.bindDone...)
	case *pgproto3.Execute:
		if c.bound == nil {
			c.refuse("execute without bind")
			return nil
		}
		c.out = append(c.out, c.bound.rows...)
		c.done(c.bound)
	case *pgproto3.Sync:
		c.skips = false
		c.add(&pgproto3.ReadyForQuery{TxStatus: noTransaction})
		return c.flush()
	case *pgproto3.Parse:
		a := c.find(m.Query)
		if a == nil {
			return nil
		}
		c.prepared[m.Name] = a
		c.add(&pgproto3.ParseComplete{})
	case *pgproto3.Describe:
		if a := c.prepared[m.Name]; m.ObjectType == 'S' && a != nil {
			c.add(&pgproto3.ParameterDescription{})
			c.out = append(c.out, a.columns...)
		} else {
			c.refuse("describe " + m.Name)
		}
	case *pgproto3.Query:
		if a := c.find(m.String); a != nil {
			if a.columns[0] == 'T' {
				c.out = append(c.out, a.columns...)
			}
			c.out = append(c.out, a.rows...)
			c.done(a)
		}
		c.skips = false
		c.add(&pgproto3.ReadyForQuery{TxStatus: noTransaction})
		return c.flush()
	default:
		c.refuse(fmt.Sprintf("%T", message))
	}
	return nil
}

// find returns the answer to a statement, or refuses it and returns nil.
func (c *standInSession) find(text string) *encodedAnswer {
	if text == ownProcess {
		a, _ := encodeAnswer(oneValue(strconv.FormatUint(uint64(c.number), 10)))
		return a
	}
	a := c.byText[text]
	if a == nil {
		c.refuse(text)
	}
	return a
}

// done counts a statement that was executed.
func (c *standInSession) done(a *encodedAnswer) {
	if a.ends {
		c.answers.End()
	}
}

// refuse answers with an error, and skips the rest of an extended query.
func (c *standInSession) refuse(text string) {
	c.answers.Lack(text)
	c.skips = true
	c.add(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "0A000", Message: "the stand-in has no answer to this"})
}
