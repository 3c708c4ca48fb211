package mysql_test

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/mysql"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

var update = flag.Bool("update", false, "record the answers of the stand-ins again")

// typical gives the rows of fill the lengths of TPC-C 4.3.3.1, and fixed values. A thousand is the largest
// number of a warehouse.
const typical = `
UPDATE customer SET c_first = 'kTz0Q3aVnB1x', c_last = 'BARBARBAR', c_street_1 = 'Zq0h2jK4mN6pRs8', c_street_2 = 'aB3dE5gH7jK9mNo', c_city = 'pQ2rS4tU6vW8xYz',
  c_state = 'KX', c_since = '2026-11-22 09:02:00', c_credit = 'GC', c_balance = -10, c_data = REPEAT('kTz0Q3aVnB', 40);
UPDATE warehouse SET w_name = 'aB3dE5gH', w_street_1 = 'Zq0h2jK4mN6pRs8', w_street_2 = 'aB3dE5gH7jK9mNo', w_city = 'pQ2rS4tU6vW8xYz';
UPDATE district SET d_name = 'aB3dE5gH', d_street_1 = 'Zq0h2jK4mN6pRs8', d_street_2 = 'aB3dE5gH7jK9mNo', d_city = 'pQ2rS4tU6vW8xYz';
UPDATE orders SET o_entry_d = '2026-11-22 09:02:00', o_carrier_id = 7;
INSERT INTO warehouse SELECT 1000, w_ytd, w_tax, w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = 1`

// testRecording compares the recording of a stand-in with the requests of a session and the answers of a
// server to its calls, byte by byte. With -update it writes the recording. On another release of the server
// than the recorded one, it compares only requests.
func testRecording(t *testing.T, s *server) {
	own := &server{database: s.database, values: maps.Clone(s.values)}
	own.set("prepared", "false")
	session := s.connect(t)
	// The login of a user with a password depends on random numbers of both sides.
	const user = "sledge_recorded"
	mustExec(t, session, "CREATE USER "+user+"@'%' IDENTIFIED BY ''; GRANT ALL ON "+s.values["dbname"]+".* TO "+user+"@'%'")
	defer mustExec(t, session, "DROP USER "+user+"@'%'")
	(&bench{Session: session}).enter(t, 3003)
	mustExec(t, session, typical)
	defer mustExec(t, session, "DELETE FROM warehouse WHERE w_id = 1000")

	r := record(t, net.JoinHostPort(s.values["host"], s.values["port"]))
	own.set("host", "127.0.0.1")
	own.set("port", strconv.Itoa(r.port))
	own.set("user", user)
	own.set("password", "null")
	recorded := own.connect(t)
	for _, name := range []string{"server.version", "installed_routines"} {
		r.begin(name)
		rows(t, recorded, s.query(t, name))
	}
	b := &bench{Session: recorded, server: s, calls: map[string]database.Statement{}}
	r.begin("limits")
	var limits struct {
		MaxWID int64 `sql:"max_w_id"`
	}
	b.calls["limits"] = prepare(t, recorded, s.tprocc(t).Text("limits"), nil, &limits)
	b.run(t, "limits")
	b.in = call{WID: 1, MaxWID: 1, DID: 1, CID: 1, CWID: 1, CDID: 1, LineCount: 10, Amount: 312345, CarrierID: 7, Threshold: 200, Seed1: 1, Seed2: 2}
	r.begin("seed_session")
	b.calls["seed"] = b.prepare(t, "seed_session", nil)
	b.run(t, "seed")
	for _, c := range []struct {
		name string
		out  any
	}{{"slev", &b.out.stock}, {"ostat", nil}, {"payment", &b.out.customer}, {"delivery", nil}, {"neword", &b.out.order}} {
		r.begin("procedure." + c.name)
		b.calls[c.name] = b.prepare(t, "procedure."+c.name, c.out)
		b.run(t, c.name)
	}
	if b.out.order.ID == 0 {
		t.Error("the recorded order was rolled back")
	}
	machine := rows(t, session, "SELECT @@hostname")[0]
	got := r.text(machine)
	path := filepath.Join("..", s.database.Name, "standin.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(kept), "\n")
	if len(gotLines) != len(wantLines) {
		t.Fatalf("the server was sent %d requests, and the recording has %d: test with -update", len(gotLines)-1, len(wantLines)-1)
	}
	version, release := rows(t, session, "SELECT VERSION()")[0], s.database.Tested.Releases[0]
	for i, line := range gotLines {
		got, want := compared(line), compared(wantLines[i])
		if !strings.HasPrefix(version, release+".") {
			got.answer, want.answer = "", ""
		}
		if got != want {
			t.Errorf("the server answers otherwise than recorded: test with -update. It was\n%+v\nand is\n%+v", want, got)
		}
	}
}

// compared returns what all recordings on a release have in common. The numbers of prepared statements and
// the answers to Connect differ.
func compared(line string) (c struct{ name, request, answer string }) {
	_, _ = fmt.Sscanf(line, "%s %q %q", &c.name, &c.request, &c.answer) // the last line is empty
	if !strings.HasPrefix(c.name, "procedure.") {
		c.answer = ""
	}
	const execute = "\x17"
	if strings.HasPrefix(c.request, execute) {
		c.request = execute
	}
	return c
}

// tprocc returns the product's SQL for TPROC-C, with the workload's own.
func (s *server) tprocc(t *testing.T) *sqlfile.Library {
	t.Helper()
	l, err := sqlfile.NewLibrary(s.database.Dialect.Placeholder, append(s.places(), sqlfile.Place{Files: tprocc.Workload.SQL, Dir: "sql/ansi"})...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// recorder forwards a connection to a server, and records its answers.
type recorder struct {
	port int

	mutex sync.Mutex
	name  string // of the requests that follow
	lines []recordedLine
}

type recordedLine struct {
	name    string
	request []byte
	answer  []byte
}

// record starts a recorder.
func record(t *testing.T, address string) *recorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &recorder{port: l.Addr().(*net.TCPAddr).Port, name: "session", lines: []recordedLine{{name: "greeting"}}}
	go func() {
		client, err := l.Accept()
		if err != nil {
			return
		}
		defer client.Close()
		server, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(client, io.TeeReader(server, answers{r})) }()
		r.forward(bufio.NewReader(client), server)
	}()
	return r
}

// begin names the requests that follow.
func (r *recorder) begin(name string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.name = name
}

// forward records the requests of the client.
func (r *recorder) forward(client io.Reader, server io.Writer) {
	for {
		packet := make([]byte, 4)
		if _, err := io.ReadFull(client, packet); err != nil {
			return
		}
		n := int(binary.LittleEndian.Uint32(append(packet[:3:3], 0)))
		packet = append(packet, make([]byte, n)...)
		if _, err := io.ReadFull(client, packet[4:]); err != nil {
			return
		}
		r.mutex.Lock()
		next := recordedLine{name: r.name, request: mysql.Beginning(packet[4:])}
		if len(r.lines) == 1 {
			next = recordedLine{name: "login"}
		}
		r.lines = append(r.lines, next)
		r.mutex.Unlock()
		if _, err := server.Write(packet); err != nil {
			return
		}
	}
}

// answers records each part of the server's answers before the client receives it.
type answers struct{ *recorder }

func (a answers) Write(part []byte) (int, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	last := &a.lines[len(a.lines)-1]
	last.answer = append(last.answer, part...)
	return len(part), nil
}

// text returns the recording, without the name of the server's machine.
func (r *recorder) text(machine string) string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var b strings.Builder
	for _, l := range r.lines {
		fmt.Fprintf(&b, "%s %+q %+q\n", l.name, l.request, strings.ReplaceAll(string(l.answer), machine, strings.Repeat("x", len(machine))))
	}
	return b.String()
}

// startStandIn starts a stand-in for TPROC-C in this process, and returns its answers and a server that
// sessions connect to.
func startStandIn(t *testing.T, d *database.Database) (*database.Answers, *server) {
	t.Helper()
	s := &server{database: d, values: map[string]string{}}
	sql := s.tprocc(t)
	answers := database.NewAnswers(sql, tprocc.Workload.Users.Answers(sql))
	serve, err := d.StandIn.New(answers)
	if err != nil {
		t.Fatal(err)
	}
	s.values = d.StandIn.Options("127.0.0.1", testserver.Accept(t, func(conn net.Conn) { _ = serve(conn) }))
	return answers, s
}

func TestStandIn_CountsCallsAndSaysWhatItCannotAnswer(t *testing.T) {
	for _, d := range products {
		t.Run(d.Name, func(t *testing.T) {
			answers, s := startStandIn(t, d)
			b := newBench(t, s)
			for _, name := range []string{"seed", "neword", "payment", "slev", "delivery", "ostat"} {
				b.run(t, name)
			}
			if b.out.order.ID < 1 || b.out.customer.ID != 1 || answers.Ended() != 5 || answers.Lacked() != "" {
				t.Errorf("got %+v, %d transactions and no answer to %q", b.out, answers.Ended(), answers.Lacked())
			}
			_, err := b.Query(t.Context(), "SELECT now()", 1)
			if err == nil || !strings.HasSuffix(answers.Lacked(), "SELECT now()") || answers.Ended() != 5 {
				t.Errorf("got %v, %d transactions and no answer to %q", err, answers.Ended(), answers.Lacked())
			}
		})
	}
}
