package oracle

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"sledge/internal/option"
	"sledge/internal/testserver"
)

// standIn is a server that answers as the driver expects of Oracle 19c. The protocol (TNS, and TTC
// in its data packets) is not published, so the stand-in follows the driver's source. It runs no
// SQL, accepts every login, and gives each statement a fixed answer. It proves nothing about Oracle
// or the protocol: it tests what a call costs the client, and that sessions end.
type standIn struct {
	answers  []answer
	sentAway string // the listener's reason for refusing connections; "" accepts them
	refusal  int    // the number of the error that a login gets; 0 accepts it
	frozen   bool   // does not answer cancellations

	commits atomic.Int64 // number of commits, alone or as part of a call
}

// answer is the answer to statements that contain text. Other statements change no rows.
type answer struct {
	text    string
	binds   string   // parameters of a block: 'i' for each input, 'o' for each output
	outputs []string // their values
	columns []string // of a query
	rows    [][]any  // of a query: text, of which "" is NULL, or whole numbers below 100
	changed int      // number of changed rows, if the statement is not a query
	errors  []int    // the error numbers of the first calls, in order; 0 means success
	words   string   // the text of these errors
	silent  bool     // sends no answer until the client cancels the call
}

// The types of packets, and of markers.
const (
	aConnect = 1
	anAccept = 2
	aRefusal = 4
	aData    = 6
	aMarker  = 12

	toBreak     = 1
	toReset     = 2
	toInterrupt = 3
)

// listen starts the stand-in and returns options for it.
func (s *standIn) listen(t testing.TB) *transactional {
	t.Helper()
	return optionsOf(t, testserver.Accept(t, s.serve))
}

// optionsOf returns options for a port on this machine.
func optionsOf(t testing.TB, port int) *transactional {
	t.Helper()
	return bound(t, option.Values{"host": "127.0.0.1", "port": strconv.Itoa(port), "service": "sales", "password": "tiger-secret"})
}

// serve answers a client until it disconnects.
func (s *standIn) serve(conn net.Conn) {
	broken := failed(errCancelled, "user requested cancel of current operation") // the answer after a reset
	for {
		kind, data, err := readTNS(conn)
		if err != nil {
			return
		}
		switch kind {
		case aConnect:
			if len(data) == connectHead-tnsHead { // the connect string was too long, and follows in the next packet
				if _, _, err := readTNS(conn); err != nil {
					return
				}
			}
			if s.sentAway != "" {
				err = writeTNS(conn, aRefusal, append(binary.BigEndian.AppendUint16([]byte{0, 0}, uint16(len(s.sentAway))), s.sentAway...))
				break
			}
			err = writeTNS(conn, anAccept, accept())
		case aMarker:
			if !s.frozen {
				err = mark(conn, data[2], broken)
			}
		case aData:
			if data[1] == 0x40 {
				return
			}
			reply, breaks := s.reply(data[2:])
			switch {
			case breaks:
				broken = reply
				err = writeTNS(conn, aMarker, []byte{1, 0, toBreak})
			case reply != nil:
				err = writeTNS(conn, aData, append([]byte{0, 0}, reply...))
			}
		}
		if err != nil {
			return
		}
	}
}

// mark answers a marker of the client: both sides reset, and the call fails.
func mark(conn net.Conn, marker byte, broken []byte) error {
	if marker == toInterrupt {
		return writeTNS(conn, aMarker, []byte{1, 0, toBreak})
	}
	if err := writeTNS(conn, aMarker, []byte{1, 0, toReset}); err != nil {
		return err
	}
	return writeTNS(conn, aData, append([]byte{0, 0}, broken...))
}

// Lengths in bytes: headers of packets, and packets.
const (
	tnsHead     = 8
	connectHead = 70
	largest     = 0x7FFF           // a packet, as agreed in accept
	fullData    = largest - 64 + 2 // data in a packet that is not the last one of its message
)

// readTNS reads a message, which may take several packets, without their headers.
func readTNS(r io.Reader) (kind byte, data []byte, err error) {
	var head [tnsHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	data = make([]byte, int(binary.BigEndian.Uint16(head[:]))-tnsHead)
	if _, err := io.ReadFull(r, data); err != nil {
		return 0, nil, err
	}
	if head[4] == aData && len(data) == fullData {
		_, more, err := readTNS(r)
		return aData, append(data, more[min(2, len(more)):]...), err
	}
	return head[4], data, nil
}

func writeTNS(w io.Writer, kind byte, data []byte) error {
	packet := append(binary.BigEndian.AppendUint16(nil, uint16(tnsHead+len(data))), 0, 0, kind, 0, 0, 0)
	_, err := w.Write(append(packet, data...))
	return err
}

// accept agrees on an old version, in which the length of a packet has two bytes, without
// encryption or checksums.
func accept() []byte {
	b := make([]byte, 24)
	binary.BigEndian.PutUint16(b[0:], 312)
	binary.BigEndian.PutUint16(b[4:], largest)
	binary.BigEndian.PutUint16(b[6:], largest)
	binary.BigEndian.PutUint16(b[12:], tnsHead+uint16(len(b))) // where data would begin; this packet has none
	return b
}

// Messages and functions of TTC, from the driver's source.
const (
	aProtocol   = 1
	theTypes    = 2
	aFunction   = 3
	aStatus     = 4
	aRowHead    = 6
	aRow        = 7
	anAnswer    = 8
	theBinds    = 11
	theColumns  = 16
	aPiggyback  = 17
	aSetting    = 23
	callAgain   = 4
	fetchMore   = 5
	aCommit     = 14
	theVersion  = 0x3B
	callFirst   = 0x5E
	queryAgain  = 0x4E
	sendKeys    = 0x76
	sendProof   = 0x73
	noMoreRows  = 1403
	typeVarchar = 1
	typeNumber  = 2
	utf8        = 873
	utf16       = 2000
)

// reply returns the response to a message, or nil for no response. breaks is true if the statement
// failed, so that a marker must precede the response.
func (s *standIn) reply(m []byte) (b []byte, breaks bool) {
	switch {
	case m[0] == aProtocol:
		return protocol(), false
	case m[0] == theTypes:
		b = make([]byte, 12) // the server's zone of time
		copy(b, []byte{theTypes, 128, 0, 0, 0, 60, 60, 60, 128})
		return append(b, 0), false // no types besides the client's
	case m[0] != aFunction: // cursors to close, before a ping
		return status(0, 0, 0, ""), false
	}
	switch m[1] {
	case sendKeys:
		b = []byte{anAnswer, 1, 2}
		b = property(b, "AUTH_SESSKEY", strings.Repeat("5EED", 24), 0)
		b = property(b, "AUTH_VFR_DATA", "0123456789ABCDEF0123", 6949)
		return append(b, status(0, 0, 0, "")...), false
	case sendProof:
		if s.refusal != 0 {
			return failed(s.refusal, "it is refused"), false
		}
		b = []byte{anAnswer, 1, 2}
		b = property(b, "AUTH_SESSION_ID", "7", 0)
		b = property(b, "AUTH_SERIAL_NUM", "11", 0)
		b = append(b, aSetting, 5, 0, 0, 1, 1, 0) // one setting follows
		b = property(b, "AUTH_NLS_LXLAN", "AMERICAN", 0)
		b = append(b, 0)
		return append(b, status(0, 0, 0, "")...), false
	case theVersion:
		b = text([]byte{anAnswer, 1, 8}, "stand-in")
		return number4(b, 0x13300000), false
	case callFirst:
		options, rest := takeNumber(m[3:])
		cursor, _ := takeNumber(rest)
		if options&0x100 != 0 {
			s.commits.Add(1)
		}
		return s.call(m, cursor, cursor == 0)
	case callAgain, queryAgain:
		cursor, rest := takeNumber(m[3:])
		_, rest = takeNumber(rest) // the number of runs, or of rows
		_, rest = takeNumber(rest)
		if options, _ := takeNumber(rest); m[1] == callAgain && options&1 != 0 {
			s.commits.Add(1)
		}
		return s.call(m, cursor, false)
	case aCommit:
		s.commits.Add(1)
	case fetchMore:
		return status(noMoreRows, 0, 0, "no data found"), false
	}
	return status(0, 0, 0, ""), false // a commit, rollback, ping or logoff
}

// call answers a statement. The cursor number of a statement is its position in answers.
func (s *standIn) call(m []byte, cursor int, first bool) (b []byte, breaks bool) {
	if first {
		for i, a := range s.answers {
			if bytes.Contains(m, []byte(a.text)) {
				cursor = i + 1
			}
		}
		if cursor == 0 {
			return status(0, 0, 0, ""), false
		}
	}
	if cursor == 0 {
		return failed(1001, "invalid cursor"), true
	}
	a := &s.answers[cursor-1]
	switch {
	case a.silent:
		return nil, false
	case len(a.errors) > 0:
		code := a.errors[0]
		if a.errors = a.errors[1:]; code != 0 {
			return failed(code, cmp.Or(a.words, "it fails")), true
		}
	}
	if first && a.binds != "" {
		b = rowHead(b, theBinds, len(a.binds))
		for _, bind := range a.binds {
			b = append(b, map[rune]byte{'i': 32, 'o': 16}[bind])
		}
	}
	if len(a.outputs) > 0 {
		b = append(b, aRow)
		for _, value := range a.outputs {
			b = append(text(b, value), 0)
		}
	}
	if len(a.columns) == 0 {
		return append(b, status(0, a.changed, cursor, "")...), false
	}
	if first {
		b = append(b, theColumns, 0, 0)
		b = append(number4(b, len(a.columns)), 0)
		for i, name := range a.columns {
			var value any = "" // without rows, columns are texts
			if len(a.rows) > 0 {
				value = a.rows[0][i]
			}
			b = described(b, name, value)
		}
		b = append(b, 0, 0, 0, 0, 0, 0)
	}
	for i, row := range a.rows {
		if i == 0 {
			b = rowHead(b, aRowHead, len(a.columns))
		}
		b = append(b, aRow)
		for _, value := range row {
			switch value := value.(type) {
			case string:
				b = text(b, value)
			case int: // sign and exponent, then one base-100 digit
				b = append(b, 2, 0xC1, byte(value)+1)
			}
		}
	}
	return append(b, status(noMoreRows, len(a.rows), cursor, "no data found")...), false
}

// protocol returns the server's name and the abilities that the driver reads, as in a 19c server.
func protocol() []byte {
	b := append([]byte{aProtocol, 6, 0}, "stand-in\x00"...)
	b = append(binary.LittleEndian.AppendUint16(b, utf8), 1, 0, 0)
	sets := make([]byte, 11)
	binary.BigEndian.PutUint16(sets[9:], utf16)
	b = append(append(b, 0, byte(len(sets))), sets...)
	compiled := make([]byte, 42)
	compiled[4] = 2                   // a verifier without padding
	compiled[7] = 11                  // the version of TTC, the same as the driver's
	compiled[15], compiled[16] = 1, 1 // calls end with a status
	compiled[37] = 32                 // large chunks
	running := []byte{2, 1, 0, 0, 0, 0, 0}
	b = append(append(b, byte(len(compiled))), compiled...)
	return append(append(b, byte(len(running))), running...)
}

// status returns the end of an answer: an error, or the number of rows.
func status(code, rows, cursor int, words string) []byte {
	b := []byte{aStatus, 0, 0}
	b = number4(b, rows)
	b = number4(b, code)
	b = append(b, 0, 0)
	b = number4(b, cursor)
	b = append(b, make([]byte, 21)...) // this driver does not use them
	b = number4(b, code)
	b = number4(b, rows)
	if code != 0 {
		b = text(b, oraText(code, words))
	}
	return b
}

func failed(code int, words string) []byte { return status(code, 0, 0, words) }

func oraText(code int, words string) string {
	return "ORA-" + strings.Repeat("0", 5-len(strconv.Itoa(code))) + strconv.Itoa(code) + ": " + words + "\n"
}

// rowHead announces a row, or the parameters of a block.
func rowHead(b []byte, kind byte, columns int) []byte {
	return append(number4(append(b, kind, 0), columns), 0, 0, 0, 0, 0)
}

// described appends the description of a column with the type of value.
func described(b []byte, name string, value any) []byte {
	typ, size, set, form := byte(typeNumber), 22, 0, byte(0)
	if _, is := value.(string); is {
		typ, size, set, form = typeVarchar, 4000, utf8, 1
	}
	b = append(b, typ, 0, 0, 0)
	b = number4(b, size)
	b = append(b, 0, 0, 0, 0)
	b = append(number4(b, set), form)
	b = append(number4(b, size), 0, 1, byte(len(name)))
	b = text(number4(b, len(name)), name)
	return append(b, 0, 0, 0, 0)
}

// number4 appends a number in TTC's form: the number of its bytes, then the bytes.
func number4(b []byte, n int) []byte {
	digits := bytes.TrimLeft(binary.BigEndian.AppendUint32(nil, uint32(n)), "\x00")
	return append(append(b, byte(len(digits))), digits...)
}

func takeNumber(b []byte) (n int, rest []byte) {
	length := int(b[0])
	for _, digit := range b[1 : 1+length] {
		n = n<<8 | int(digit)
	}
	return n, b[1+length:]
}

// text appends a text and its length, or in one chunk if it is longer than 252 bytes.
func text(b []byte, s string) []byte {
	if len(s) > 252 { // an empty chunk ends the text
		return append(append(number4(append(b, 0xFE), len(s)), s...), 0)
	}
	return append(append(b, byte(len(s))), s...)
}

func property(b []byte, key, value string, number int) []byte {
	b = text(number4(b, len(key)), key)
	b = text(number4(b, len(value)), value)
	return number4(b, number)
}
