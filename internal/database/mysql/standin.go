package mysql

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
)

//go:embed standin.txt
var recording string

// NewStandIn returns a stand-in that repeats the answers of a real server. A recording has a line for
// each request: the name of the statement in the SQL, the beginning of the request, and the packets of the
// answer. The requests of Connect are named session. The test TestRoutines writes recordings.
func NewStandIn(recording string) *database.StandIn {
	return &database.StandIn{
		Options: func(host string, port int) option.Values {
			return option.Values{"host": host, "port": strconv.Itoa(port), "socket": null, "password": null, "ssl": "false", "prepared": "false"}
		},
		New: func(a *database.Answers) (serve func(net.Conn) error, err error) {
			s := standInServer{answers: a, byRequest: map[string]recordedAnswer{}}
			err = s.read(recording)
			return s.serve, err
		},
	}
}

// standInServer repeats recorded answers.
type standInServer struct {
	answers         *database.Answers
	greeting, login []byte
	byRequest       map[string]recordedAnswer // by the beginning of a request
}

// recordedAnswer has the packets of an answer.
type recordedAnswer struct {
	packets []byte
	ends    bool // the statement is a whole transaction
}

// The names of the requests that are not statements of the SQL. The greeting answers no request.
const (
	recordedGreeting = "greeting"
	recordedLogin    = "login"
	recordedSession  = "session"
)

// versionQuery is the name of the query that each run sends.
const versionQuery = "server.version"

// read reads a recording. It drops statements that the workload does not send.
func (s *standInServer) read(recording string) error {
	ends := map[string]bool{recordedSession: false, versionQuery: false}
	missing := map[string]bool{}
	err := s.answers.Each(func(q sqlfile.Query, answer database.Answer) error {
		ends[q.Name], missing[q.Name] = answer.Ends, true
		return nil
	})
	if err != nil {
		return err
	}
	for line := range strings.Lines(recording) {
		var name, request, packets string
		if _, err := fmt.Sscanf(line, "%s %q %q", &name, &request, &packets); err != nil {
			return fmt.Errorf("the recording of the stand-in: %w", err)
		}
		delete(missing, name)
		switch name {
		case recordedGreeting:
			s.greeting = []byte(packets)
		case recordedLogin:
			s.login = []byte(packets)
		default:
			if end, sent := ends[name]; sent {
				s.byRequest[request] = recordedAnswer{[]byte(packets), end}
			}
		}
	}
	for name := range missing {
		return fmt.Errorf("the recording of the stand-in has no answer to %s", name)
	}
	return nil
}

// The first byte of a request.
const (
	commandQuit    = 0x01
	commandQuery   = 0x03
	commandPrepare = 0x16
)

// beginning returns the part of a request that identifies its answer: a statement up to its first value, or
// another command with the number of a prepared statement.
func beginning(request []byte) []byte {
	if len(request) == 0 {
		return nil
	}
	switch request[0] {
	case commandQuery, commandPrepare:
		if i := bytes.IndexAny(request, "0123456789'"); i >= 0 {
			return request[:i]
		}
		return request
	}
	return request[:min(len(request), 5)]
}

// serve repeats answers until the client ends the connection.
func (s *standInServer) serve(conn net.Conn) error {
	in := bufio.NewReader(conn)
	if _, err := conn.Write(s.greeting); err != nil {
		return err
	}
	request, err := readPacket(in, nil)
	if err != nil {
		return err
	}
	if _, err := conn.Write(s.login); err != nil {
		return err
	}
	for {
		if request, err = readPacket(in, request); err != nil {
			return err
		}
		a, known := s.byRequest[string(beginning(request))]
		switch {
		case !known && len(request) == 1 && request[0] == commandQuit:
			return nil
		case !known:
			s.answers.Lack(strings.TrimLeft(string(request), string([]byte{commandQuery, commandPrepare})))
			return errors.New("the stand-in has no answer to this")
		case a.ends:
			s.answers.End()
		}
		if _, err := conn.Write(a.packets); err != nil {
			return err
		}
	}
}

// longestRequest is more than the length of any request of a workload, in bytes.
const longestRequest = 1 << 20

// readPacket reads the content of a packet into buffer, which it returns, enlarged if necessary.
func readPacket(in io.Reader, buffer []byte) ([]byte, error) {
	var head [4]byte // a length in three bytes, and a number
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return buffer, err
	}
	head[3] = 0
	n := int(binary.LittleEndian.Uint32(head[:]))
	if n > longestRequest {
		return buffer, fmt.Errorf("a request has %d bytes", n)
	}
	if cap(buffer) < n {
		buffer = make([]byte, n)
	}
	_, err := io.ReadFull(in, buffer[:n])
	return buffer[:n], err
}
