//go:build browser

package browser

import (
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// hostile is text that takes effect if a page treats it as markup: it creates an element
// data-hostile, and a script that violates the Content-Security-Policy.
const hostile = `<b data-hostile>bold</b><img src=x onerror=alert(1)><script>alert(2)</script><a href="javascript:alert(3)">go</a>"'>{{4*4}}`

// hostileServer is a PostgreSQL server that refuses every connection with hostile messages.
func hostileServer(t *testing.T) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go refuse(conn)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func refuse(conn net.Conn) {
	defer conn.Close()
	b := pgproto3.NewBackend(conn, conn)
	for {
		message, err := b.ReceiveStartupMessage()
		if err != nil {
			return
		}
		if _, plain := message.(*pgproto3.StartupMessage); plain {
			break
		}
		if _, err := conn.Write([]byte("N")); err != nil { // no TLS
			return
		}
	}
	b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "53300", Message: hostile, Detail: hostile, Hint: hostile})
	_ = b.Flush() // the client may have gone
}

// turned begins with a character that turns the direction of the text after it (U+202E).
const turned = "\u202eturned"

// TestHostileTexts_AreNotExecuted opens every page with data that contain markup and scripts.
func TestHostileTexts_AreNotExecuted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ci := s.as("ci", "act")
	s.addUser("ann", "act")
	s.start()
	labels := facts{"labels": map[string]string{"remark": hostile, "turned": turned}, "note": turned + hostile}
	// A file's name has no slash.
	file := filepath.Join(s.folder, `<img src=x onerror=alert(1)><b data-hostile>.sqlite`)
	local := settings{"db": "sqlite", "dbname": file}
	build := ci.begin("build", local, labels)
	if got := ci.finish(build); got != "succeeded" {
		t.Fatalf("the build ended as %s", got)
	}
	run := ci.begin("run", settings{"db": "sqlite", "dbname": file, "users": 1, "rampup": "0s", "duration": "2s"}, labels)
	ci.finish(run)
	var ids []string
	for _, action := range []string{"build", "check", "run"} {
		id := ci.begin(action, settings{"db": "pg", "host": "127.0.0.1", "port": hostileServer(t)}, labels)
		if got := ci.finish(id); got != "failed" {
			t.Errorf("%s on a server that refuses ended as %s", action, got)
		}
		ids = append(ids, id)
	}
	ci.wants(http.StatusOK, "GET", "/jobs/"+run, nil, nil)
	play(t, "hostile.mjs", facts{"address": s.address, "jobs": append(ids, build, run)}, nil)
}
