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
	"strings"
	"testing"
	"unicode"

	"github.com/jackc/pgx/v5"

	"sledge/internal/job"
)

// flood is a text of 20 MB.
var flood = strings.Repeat("hostile ", 20_000_000/8)

// flooded returns settings for a proxy in front of a PostgreSQL server, which passes each message of
// the server through alter.
func flooded(t *testing.T, settings map[string]any, alter func(kind byte, body []byte) []byte) map[string]any {
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
			go relay(client, server, alter)
		}
	}()
	through := maps.Clone(settings)
	through["host"], through["port"], through["ssl_mode"] = "127.0.0.1", l.Addr().(*net.TCPAddr).Port, "disable"
	return through
}

// relay copies messages between a client and a server until one of them has gone.
func relay(client net.Conn, server string, alter func(kind byte, body []byte) []byte) {
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
	const floods = 4 // of a connection; more would only take time
	for head, flooded := make([]byte, 5), 0; ; {
		if _, err := io.ReadFull(to, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(to, body); err != nil {
			return
		}
		message := framed(head[0], body)
		if flooded < floods {
			message = alter(head[0], body)
		}
		if len(message) > len(flood) {
			flooded++
		}
		if _, err := client.Write(message); err != nil {
			return
		}
	}
}

// message frames a message of the server.
func framed(kind byte, body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
}

// longErrors makes the texts of each error 20 MB long: message, detail and hint.
func longErrors(kind byte, body []byte) []byte {
	if kind != 'E' {
		return framed(kind, body)
	}
	var long []byte
	for field := range bytes.SplitSeq(bytes.TrimRight(body, "\x00"), []byte{0}) {
		if len(field) > 0 && field[0] == 'M' {
			field = append(bytes.Clone(field), flood...)
		}
		long = append(append(long, field...), 0)
	}
	for _, more := range []string{"D", "H"} {
		long = append(append(long, more+flood...), 0)
	}
	return framed(kind, append(long, 0))
}

// longNotices adds a notice of 20 MB to each result.
func longNotices(kind byte, body []byte) []byte {
	if kind != 'C' {
		return framed(kind, body)
	}
	notice := framed('N', []byte("SNOTICE\x00VNOTICE\x00C00000\x00M"+flood+"\x00\x00"))
	return append(notice, framed(kind, body)...)
}

// longWords makes the first value of a row that has a letter 20 MB long: a name, a version, a
// setting. It leaves alone what wanted does not select.
func longWords(wanted func(word string) bool) func(kind byte, body []byte) []byte {
	return func(kind byte, body []byte) []byte {
		if kind != 'D' {
			return framed(kind, body)
		}
		long, rest, found := bytes.Clone(body[:2]), body[2:], false
		for len(rest) > 0 {
			n := int32(binary.BigEndian.Uint32(rest))
			value := rest[4 : 4+max(0, n)]
			rest = rest[4+len(value):]
			if !found && n > 0 && bytes.ContainsFunc(value, unicode.IsLetter) && wanted(string(value)) {
				value, found = append(bytes.Clone(value), flood...), true
				n = int32(len(value))
			}
			long = append(binary.BigEndian.AppendUint32(long, uint32(n)), value...)
		}
		return framed(kind, long)
	}
}

// A server's texts of 20 MB stay short in every answer, in lists, and in the repository.
func TestHostileServer_IsCut(t *testing.T) {
	w := newWorld(t)
	direct := onPostgreSQL(t)
	direct["user"], direct["dbname"] = "flooded", "flooded" // its schema stays spoiled
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
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, tt := range []struct {
		name     string
		settings map[string]any
	}{
		{"errors", flooded(t, direct, longErrors)},
		{"a missing schema", flooded(t, missing, longErrors)},
		{"a refused login", flooded(t, refused, longErrors)},
		{"notices", flooded(t, direct, longNotices)},
		{"versions", flooded(t, direct, longWords(func(word string) bool { return strings.HasPrefix(word, "1") }))},
		{"names of settings", flooded(t, direct, longWords(func(word string) bool { return strings.Contains(word, "_") && !strings.Contains(word, "warehouse") }))},
		{"names", flooded(t, direct, longWords(func(word string) bool { return !strings.HasPrefix(word, "1") }))},
	} {
		name, settings := tt.name, tt.settings
		t.Run(name, func(t *testing.T) {
			body := bodyOf(t, map[string]any{"settings": settings})
			for _, path := range []string{"/settings/test", "/settings/deletion", "/counters"} {
				if text := w.text("POST", path, body); len(text) > 64<<10 {
					t.Errorf("POST %s: got %d bytes: %.300s", path, len(text), text)
				}
			}
			for _, action := range []job.Action{job.Check, job.Run, job.Delete} {
				if action == job.Delete && name != "names" {
					continue // the schema is still needed
				}
				if action == job.Run {
					settings = maps.Clone(settings)
					maps.Copy(settings, map[string]any{"rampup": "0s", "duration": "1s"})
				}
				id := do(settings, action)
				whole := w.raw("GET", "/jobs/"+id, "", 200)
				if len(whole) > 128<<10 {
					t.Errorf("%s: the job has %d bytes", action, len(whole))
				}
				var events bytes.Buffer
				w.follow(id, "", func(m message) bool {
					text, err := json.Marshal(m.event)
					if err != nil {
						t.Fatal(err)
					}
					if len(text) > 64<<10 {
						t.Errorf("%s: an event has %d bytes: %.300s", action, len(text), text)
					}
					events.Write(text)
					return m.name != "over"
				})
				if name == "errors" && action == job.Run && !bytes.Contains(append(events.Bytes(), whole...), []byte(" KiB more")) {
					t.Errorf("%s: no text says how much of it is missing: %.2000s", action, whole)
				}
			}
		})
	}
	list := w.call("GET", "/jobs", "", 200)["jobs"]
	if text := longest(list); len(text) > job.LongestInList {
		t.Errorf("the list of jobs has a text of %d bytes: %s", len(text), text)
	}
	if text, err := json.Marshal(list); err != nil || !strings.Contains(string(text), " KiB more") {
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
	// Dozens of texts of 20 MB have arrived. Buffers of connections that are just being closed may
	// still hold one or two.
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 50<<20 {
		t.Errorf("the texts of a hostile server keep %d MB of memory", grown>>20)
	}
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
