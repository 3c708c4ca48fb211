package sqlserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"
)

// standIn is a server that speaks TDS, as described in MS-TDS, and runs no SQL: each test defines
// its answers. It tests that sessions follow the protocol, and what a call costs the client. It
// proves nothing about SQL Server.
type standIn struct {
	t      testing.TB
	answer func(request) []byte

	mu  sync.Mutex
	got []request
}

// request is a message from a client.
type request struct {
	kind   byte   // of its packets
	text   string // of a batch; the name of the procedure of a call
	params []param
	data   []byte // of any other kind

	packets []int // their sizes
}

// begins reports whether the request begins a transaction (MS-TDS 2.2.6.9).
func (r request) begins() bool {
	return r.kind == aTransaction && binary.LittleEndian.Uint16(r.data[binary.LittleEndian.Uint32(r.data):]) == 5
}

// param is a parameter of a call. Only values that tests compare are read.
type param struct {
	name  string
	typ   string
	value any // int64, float64, string, []byte, or nil
	out   bool
}

// The kinds of packets.
const (
	aBatch       = 1
	anRPC        = 3
	aReply       = 4
	anAttention  = 6
	aBulk        = 7
	aTransaction = 14
	aLogin       = 16
	aPrelogin    = 18
)

// listen starts the stand-in and returns its port.
func (s *standIn) listen() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func (s *standIn) serve(conn net.Conn) {
	defer conn.Close()
	for {
		kind, data, packets, err := readMessage(conn)
		if err != nil {
			return
		}
		r := request{kind: kind, data: data, packets: packets}
		switch kind {
		case aPrelogin:
			// One option, which says that there is no encryption, and the end of options.
			if writeMessage(conn, []byte{1, 0, 6, 0, 1, 0xFF, 2}) != nil {
				return
			}
			continue
		case aBatch:
			r.text = fromUTF16(data[binary.LittleEndian.Uint32(data):])
		case anRPC:
			r.readCall(data[binary.LittleEndian.Uint32(data):])
		}
		s.mu.Lock()
		s.got = append(s.got, r)
		s.mu.Unlock()
		if reply := s.answer(r); reply != nil && writeMessage(conn, reply) != nil {
			return
		}
	}
}

// requests returns the requests after the login.
func (s *standIn) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []request
	for _, r := range s.got {
		if r.kind != aLogin {
			all = append(all, r)
		}
	}
	return all
}

// readMessage reads the packets of a message.
func readMessage(r io.Reader) (kind byte, data []byte, packets []int, err error) {
	for {
		var header [8]byte
		if _, err := io.ReadFull(r, header[:]); err != nil {
			return 0, nil, nil, err
		}
		part := make([]byte, int(binary.BigEndian.Uint16(header[2:]))-len(header))
		if _, err := io.ReadFull(r, part); err != nil {
			return 0, nil, nil, err
		}
		data, packets = append(data, part...), append(packets, len(header)+len(part))
		if header[1]&1 != 0 {
			return header[0], data, packets, nil
		}
	}
}

// writeMessage writes a reply in packets.
func writeMessage(w io.Writer, data []byte) error {
	const most = 4000
	for {
		n, last := min(len(data), most), byte(0)
		if n == len(data) {
			last = 1
		}
		packet := append(binary.BigEndian.AppendUint16([]byte{aReply, last}, uint16(n+8)), 0, 0, 1, 0)
		if _, err := w.Write(append(packet, data[:n]...)); err != nil || last == 1 {
			return err
		}
		data = data[n:]
	}
}

func fromUTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func toUTF16(text string) (b []byte) {
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// readCall reads a call (MS-TDS 2.2.6.6).
func (r *request) readCall(data []byte) {
	take := func(n int) []byte {
		part := data[:n]
		data = data[n:]
		return part
	}
	if n := binary.LittleEndian.Uint16(take(2)); n == 0xFFFF {
		r.text = map[uint16]string{10: "sp_executesql"}[binary.LittleEndian.Uint16(take(2))]
	} else {
		r.text = fromUTF16(take(int(n) * 2))
	}
	take(2)
	for len(data) > 0 {
		p := param{name: fromUTF16(take(int(take(1)[0]) * 2))}
		p.out = take(1)[0]&1 != 0
		switch typ := take(1)[0]; typ {
		case 0x26, 0x6D: // INTN, FLTN
			p.typ = map[byte]string{0x26: "int", 0x6D: "float"}[typ]
			p.typ += fmt.Sprint(take(1)[0])
			if b := take(int(take(1)[0])); len(b) == 8 {
				p.value = int64(binary.LittleEndian.Uint64(b))
				if typ == 0x6D {
					p.value = math.Float64frombits(binary.LittleEndian.Uint64(b))
				}
			}
		case 0xE7, 0xA7, 0xA5: // NVARCHAR, VARCHAR, VARBINARY
			p.typ = map[byte]string{0xE7: "nvarchar", 0xA7: "varchar", 0xA5: "varbinary"}[typ]
			size := binary.LittleEndian.Uint16(take(2))
			if typ != 0xA5 {
				take(5)
			}
			var b []byte
			null := false
			if size == 0xFFFF {
				p.typ += " max"
				null = binary.LittleEndian.Uint64(take(8)) == math.MaxUint64
				for !null {
					n := binary.LittleEndian.Uint32(take(4))
					if n == 0 {
						break
					}
					b = append(b, take(int(n))...)
				}
			} else if n := binary.LittleEndian.Uint16(take(2)); n == 0xFFFF {
				null = true
			} else {
				b = take(int(n))
			}
			switch {
			case null:
			case typ == 0xE7:
				p.value = fromUTF16(b)
			case typ == 0xA7:
				p.value = string(b)
			default:
				p.value = b
			}
		case 0x2B: // DATETIMEOFFSETN
			p.typ = "datetimeoffset"
			take(1)
			if b := take(int(take(1)[0])); len(b) > 0 {
				p.value = b
			}
		default:
			panic(fmt.Sprintf("a parameter has the type %#x, which the stand-in does not read", typ))
		}
		r.params = append(r.params, p)
	}
}

// The tokens of the stand-in's answers (MS-TDS 2.2.7).

func tokenLength(token byte, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint16([]byte{token}, uint16(len(b))), b...)
}

func shortText(text string) []byte {
	return append([]byte{byte(len(text))}, toUTF16(text)...)
}

func done(rows int) []byte { return doneWith(0x10, rows) }

func doneWith(status uint16, rows int) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0xFD}, status)
	b = binary.LittleEndian.AppendUint16(b, 0)
	return binary.LittleEndian.AppendUint64(b, uint64(rows))
}

func loggedIn() []byte {
	ack := append(binary.BigEndian.AppendUint32([]byte{1}, 0x74000004), shortText("stand-in")...)
	return append(tokenLength(0xAD, append(ack, 16, 0, 0, 0)), done(0)...)
}

func refused(number int32, words string) []byte {
	b := append(binary.LittleEndian.AppendUint32(nil, uint32(number)), 1, 14)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(words))), toUTF16(words)...)
	b = append(append(b, shortText("stand-in")...), shortText("")...)
	return tokenLength(0xAA, binary.LittleEndian.AppendUint32(b, 1))
}

func failed(number int32, words string) []byte {
	return append(refused(number, words), doneWith(2, 0)...)
}

// begun answers the begin of a transaction, and ended answers a commit or rollback.
func begun() []byte {
	return append(tokenLength(0xE3, []byte{8, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0}), done(0)...)
}

func ended() []byte {
	return append(tokenLength(0xE3, []byte{9, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8}), done(0)...)
}

// rows returns a result set. Its values are int64, string or nil.
func rows(columns []string, values ...[]any) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0x81}, uint16(len(columns)))
	for i, name := range columns {
		b = append(b, 0, 0, 0, 0, 1, 0)
		if _, isText := values[0][i].(string); isText {
			b = append(b, 0xE7, 0x40, 0x1F, 9, 4, 0xD0, 0, 0x34)
		} else {
			b = append(b, 0x26, 8)
		}
		b = append(b, shortText(name)...)
	}
	for _, row := range values {
		b = append(b, 0xD1)
		for _, v := range row {
			switch v := v.(type) {
			case nil:
				b = append(b, 0)
			case int64:
				b = binary.LittleEndian.AppendUint64(append(b, 8), uint64(v))
			case string:
				b = append(binary.LittleEndian.AppendUint16(b, uint16(2*len(v))), toUTF16(v)...)
			}
		}
	}
	return b
}

// connectTo returns a session with a stand-in.
func connectTo(t testing.TB, s *standIn) *session {
	t.Helper()
	l := login{server: &newOptionsOf(t, s.listen()).server, Database: "tpcc", loading: loading{Bulk: true}}
	session, err := dial(t.Context(), l, "tpcc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// newOptionsOf returns options for a port on this machine.
func newOptionsOf(t testing.TB, port int) *transactional {
	t.Helper()
	asSQL := newOptions(useOfTests).(*transactional)
	asSQL.Host, asSQL.Port, asSQL.Encrypt, asSQL.WindowsAuthentication = "127.0.0.1", port, "false", bySQL
	asSQL.Password = "secret-7541"
	return asSQL
}

// answering returns a function that accepts every login, begins and ends transactions, and confirms
// cancellations. It answers other requests with f, or with done if f returns nil.
func answering(f func(r request) []byte) func(request) []byte {
	return func(r request) []byte {
		switch r.kind {
		case aLogin:
			return loggedIn()
		case aTransaction:
			if r.begins() {
				return begun()
			}
			return ended()
		case anAttention: // the driver also sends one to stop reading rows
			return doneWith(0x20, 0)
		}
		if reply := f(r); reply != nil {
			return reply
		}
		return done(1)
	}
}

var errSilent = errors.New("the stand-in does not answer")

// soon fails the test if f takes too long.
func soon(t *testing.T, what string, f func() error) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- f() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(5 * time.Second):
		t.Fatalf("%s did not end", what)
		return errSilent
	}
}

func (p param) String() string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s", p.name, p.typ))
	if p.out {
		text += " out"
	}
	if b, is := p.value.([]byte); is && p.typ == "datetimeoffset" {
		return text + fmt.Sprintf(" of %d bytes", len(b))
	}
	return text + fmt.Sprintf(" %v", p.value)
}
