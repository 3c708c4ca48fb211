package api

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"sledge/internal/job"
)

// flood is a text of 8 MB, which Sledge does not read. It reads messages with three times long, and
// shortens them.
var (
	flood = bytes.Repeat([]byte("hostile "), 1<<20)
	long  = flood[:256<<10]
)

// protocol is the frame of a server's messages: the length of its head, and that of the body by the
// head.
type protocol struct {
	head int
	size func(head []byte) int
}

var (
	postgreSQL = protocol{5, func(head []byte) int { return int(binary.BigEndian.Uint32(head[1:])) - 4 }}
	mySQL      = protocol{4, func(head []byte) int { return int(head[0]) | int(head[1])<<8 | int(head[2])<<16 }}
)

// alteration returns what a server sends instead of a message, or nil for the message itself.
type alteration func(head, body []byte) net.Buffers

// flooded returns settings for a proxy in front of a server, which alters the server's messages.
func flooded(t *testing.T, settings map[string]any, of protocol, alter alteration) map[string]any {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	server := net.JoinHostPort(fmt.Sprint(settings["host"]), fmt.Sprint(settings["port"]))
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go relay(client, server, of, alter)
		}
	}()
	through := maps.Clone(settings)
	through["host"], through["port"] = "127.0.0.1", l.Addr().(*net.TCPAddr).Port
	if settings["db"] == "postgresql" {
		through["ssl_mode"] = "disable"
	}
	return through
}

// relay copies messages between a client and a server until one of them has gone.
func relay(client net.Conn, server string, of protocol, alter alteration) {
	defer client.Close()
	to, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		defer to.Close()
		_, _ = io.Copy(to, client) // both ends are closed afterwards
	}()
	const most = 4 // alterations of a connection; more would only take time
	for head, altered := make([]byte, of.head), 0; ; {
		if _, err := io.ReadFull(to, head); err != nil {
			return
		}
		body := make([]byte, of.size(head))
		if _, err := io.ReadFull(to, body); err != nil {
			return
		}
		message := net.Buffers{head, body}
		if altered < most {
			if other := alter(head, body); other != nil {
				message = other
				altered++
			}
		}
		if _, err := message.WriteTo(client); err != nil {
			return
		}
	}
}

// framed frames a message of PostgreSQL.
func framed(kind byte, body ...[]byte) net.Buffers {
	return append(net.Buffers{binary.BigEndian.AppendUint32([]byte{kind}, uint32(length(body)+4))}, body...)
}

// packet frames a message of MySQL.
func packet(number byte, body ...[]byte) net.Buffers {
	n := length(body)
	return append(net.Buffers{{byte(n), byte(n >> 8), byte(n >> 16), number}}, body...)
}

// length returns the length of several texts together.
func length(texts [][]byte) (n int) {
	for _, text := range texts {
		n += len(text)
	}
	return n
}

// longErrors makes the texts of each error long: message, detail and hint.
func longErrors(text []byte) alteration {
	return func(head, body []byte) net.Buffers {
		if head[0] != 'E' {
			return nil
		}
		var all net.Buffers
		for field := range bytes.SplitSeq(bytes.TrimRight(body, "\x00"), []byte{0}) {
			all = append(all, field)
			if len(field) > 0 && field[0] == 'M' {
				all = append(all, text)
			}
			all = append(all, []byte{0})
		}
		return framed('E', append(all, []byte("D"), text, []byte("\x00H"), text, []byte("\x00\x00"))...)
	}
}

// longNotices adds a long notice to each result.
func longNotices(text []byte) alteration {
	return func(head, body []byte) net.Buffers {
		if head[0] != 'C' {
			return nil
		}
		return append(framed('N', []byte("SNOTICE\x00VNOTICE\x00C00000\x00M"), text, []byte("\x00\x00")), framed('C', body)...)
	}
}

// longWords makes the first value of a row that has a letter long: a name, a version, a setting. It
// leaves alone what wanted does not select.
func longWords(text []byte, wanted func(word string) bool) alteration {
	return func(head, body []byte) net.Buffers {
		if head[0] != 'D' {
			return nil
		}
		for at := 2; at < len(body); {
			n := int(int32(binary.BigEndian.Uint32(body[at:])))
			end := at + 4 + max(0, n)
			if value := body[at+4 : end]; bytes.ContainsFunc(value, unicode.IsLetter) && wanted(string(value)) {
				return framed('D', body[:at], binary.BigEndian.AppendUint32(nil, uint32(n+len(text))), value, text, body[end:])
			}
			at = end
		}
		return nil
	}
}

// longPackets makes texts of MySQL long: of errors, the version in the greeting, names of columns,
// and the first value of a row that has a letter.
func longPackets(text []byte, of string) alteration {
	return func(head, body []byte) net.Buffers {
		number := head[3]
		switch {
		case len(body) == 0:
		case body[0] == 0xff && of == "errors":
			return packet(number, body, text)
		case number == 0 && body[0] == 10 && of == "versions":
			end := bytes.IndexByte(body, 0)
			return packet(number, body[:end], text, body[end:])
		case number > 0 && of == "names" && body[0] > 0:
			column := bytes.HasPrefix(body, []byte("\x03def"))
			for at, i := 0, 0; at < len(body) && body[at] < 0xfb; i++ { // longer values have another form
				n := int(body[at])
				end := at + 1 + n
				if end > len(body) {
					return nil // it is neither a column nor a row
				}
				value := body[at+1 : end]
				if column && i == 4 || !column && bytes.ContainsFunc(value, unicode.IsLetter) {
					size := n + len(text)
					return packet(number, body[:at], []byte{0xfd, byte(size), byte(size >> 8), byte(size >> 16)}, value, text, body[end:])
				}
				at = end
			}
		}
		return nil
	}
}

// A hostile server's long texts stay short in every answer, in lists, and in the repository, and
// take little memory while they arrive.
func TestHostileServer_IsCut(t *testing.T) {
	w := newWorld(t)
	direct := onPostgreSQL(t)
	direct["user"], direct["dbname"] = "flooded", "flooded" // its schema stays spoiled
	onMySQL := onMariaDB(t)
	do := func(settings map[string]any, action job.Action) string {
		t.Helper()
		of := map[string]any{"action": action, "settings": settings}
		if action == job.Delete {
			of["confirm"] = w.call("POST", "/settings", bodyOf(t, of), 200)["target"]
		}
		id := w.start(of)
		w.end(id)
		return id
	}
	if build := do(direct, job.Build); w.call("GET", "/jobs/"+build, "", 200)["status"] != "succeeded" {
		t.Fatalf("the build has not succeeded: %v", w.call("GET", "/jobs/"+build, "", 200)["reason"])
	}
	// New orders fail in the run.
	spoil(t, direct)
	missing := maps.Clone(direct)
	missing["dbname"] = "nosuch"
	refused := maps.Clone(direct)
	refused["password"] = "wrong"
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // tests may run with another limit for garbage
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	highest := watchHeap()
	const cut, unread = " KiB more", "longer than 1 MiB"
	for _, tt := range []struct {
		name     string
		settings map[string]any
		says     string // in the answers
	}{
		{"errors", flooded(t, direct, postgreSQL, longErrors(long)), cut},
		{"unread errors", flooded(t, direct, postgreSQL, longErrors(flood)), unread},
		{"a missing schema", flooded(t, missing, postgreSQL, longErrors(long)), cut},
		{"a refused login", flooded(t, refused, postgreSQL, longErrors(long)), cut},
		{"notices", flooded(t, direct, postgreSQL, longNotices(long)), ""},
		{"versions", flooded(t, direct, postgreSQL, longWords(long, func(word string) bool { return strings.HasPrefix(word, "1") })), ""},
		{"names of settings", flooded(t, direct, postgreSQL, longWords(flood, func(word string) bool { return strings.Contains(word, "_") && !strings.Contains(word, "warehouse") })), unread},
		{"names", flooded(t, direct, postgreSQL, longWords(long, func(word string) bool { return !strings.HasPrefix(word, "1") })), ""},
		{"errors of MariaDB", flooded(t, onMySQL, mySQL, longPackets(long, "errors")), cut},
		{"unread errors of MariaDB", flooded(t, onMySQL, mySQL, longPackets(flood, "errors")), unread},
		{"versions of MariaDB", flooded(t, onMySQL, mySQL, longPackets(long, "versions")), ""},
		{"names of MariaDB", flooded(t, onMySQL, mySQL, longPackets(long, "names")), ""},
		{"unread names of MariaDB", flooded(t, onMySQL, mySQL, longPackets(flood, "names")), unread},
	} {
		name, settings := tt.name, tt.settings
		t.Run(name, func(t *testing.T) {
			var said bytes.Buffer
			keep := func(what string, text []byte, most int) {
				said.Write(text)
				if len(text) > most {
					t.Errorf("%s: got %d bytes: %.300s", what, len(text), text)
				}
			}
			body := bodyOf(t, map[string]any{"settings": settings})
			for _, path := range []string{"/settings/test", "/settings/deletion", "/counters"} {
				keep("POST "+path, w.text("POST", path, body), 64<<10)
			}
			actions := []job.Action{job.Check, job.Run}
			switch {
			case settings["db"] == "mariadb":
				actions = []job.Action{job.Check} // it has no schema
			case name == "errors" || name == "unread errors":
				actions = []job.Action{job.Run} // a check of this schema has no error
			case name == "names":
				actions = append(actions, job.Delete) // the last one that needs the schema
			}
			for _, action := range actions {
				if action == job.Run {
					settings = maps.Clone(settings)
					maps.Copy(settings, map[string]any{"rampup": "0s", "duration": "1s"})
				}
				id := do(settings, action)
				keep(fmt.Sprintf("%s: the job", action), w.raw("GET", "/jobs/"+id, "", 200), 128<<10)
				w.follow(id, "", func(m message) bool {
					text, err := json.Marshal(m.event)
					if err != nil {
						t.Fatal(err)
					}
					keep(fmt.Sprintf("%s: an event", action), text, 64<<10)
					return m.name != "over"
				})
			}
			if !strings.Contains(said.String(), tt.says) {
				t.Errorf("no text says %q: %.3000s", tt.says, said.String())
			}
		})
	}
	unreadRefusal := bodyOf(t, map[string]any{"settings": flooded(t, refused, postgreSQL, longErrors(flood))})
	if text := w.text("POST", "/settings/test", unreadRefusal); !bytes.Contains(text, []byte(unread)) || !bytes.Contains(text, []byte("check host and port")) {
		t.Errorf("a refused login whose message is not read: got %.1000s", text)
	}
	if grown := (highest() - int64(before.HeapAlloc)) >> 20; grown > 150 {
		t.Errorf("the texts of a hostile server took %d MB of memory while they arrived", grown)
	}
	list := w.call("GET", "/jobs", "", 200)["jobs"]
	if text := longest(list); len(text) > job.LongestInList {
		t.Errorf("the list of jobs has a text of %d bytes: %s", len(text), text)
	}
	if text, err := json.Marshal(list); err != nil || !strings.Contains(string(text), cut) {
		t.Errorf("the list of jobs does not say how much of a text is missing: %s", text)
	}
	w.api.Close()
	info, err := os.Stat(w.path)
	if err != nil || info.Size() > 4<<20 {
		t.Errorf("the repository has %d bytes, %v", info.Size(), err)
	}
	w.seen.Reset()
	for range 3 { // the driver's pool of buffers survives one
		runtime.GC()
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 20<<20 {
		t.Errorf("the texts of a hostile server keep %d MB of memory", grown>>20)
	}
}

// watchHeap measures the memory of all objects until the returned function is called, which returns
// the highest measurement.
func watchHeap() (highest func() int64) {
	over, result := make(chan struct{}), make(chan int64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var most uint64
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-over:
				result <- int64(most)
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(over); return <-result }
}

// bodyOf returns the body of a request.
func bodyOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// text sends a request, and returns the response. It accepts every status.
func (w *world) text(method, path, body string) []byte {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, w.url+Prefix+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.Fatal(err)
	}
	return text
}

// longest returns the longest text in a value of JSON.
func longest(v any) (text string) {
	longer := func(v any) {
		if other := longest(v); len(other) > len(text) {
			text = other
		}
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, one := range v {
			longer(one)
		}
	case map[string]any:
		for _, one := range v {
			longer(one)
		}
	}
	return text
}

// spoil makes new orders fail soon.
func spoil(t *testing.T, settings map[string]any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), fmt.Sprintf("postgres://%v:%v@%v:%v/%v", settings["user"], settings["password"], settings["host"], settings["port"], settings["dbname"]))
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), "ALTER TABLE orders ADD CHECK (o_id < 3005)")
	if err = errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}
