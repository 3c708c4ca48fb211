package web

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolders_AreHidden(t *testing.T) {
	f := folders{map[string]bool{"home": true, "tmp": true, "var": true}, true}
	for text, want := range map[string]string{
		`{"text":"a:\nb","quote":"C:\"x\""}`:                      `{"text":"a:\nb","quote":"C:\"x\""}`,
		`{"file":"/home/me/t.sqlite"}`:                            `{"file":"…/t.sqlite"}`,
		`{"file":"/home/me/My files/t.sqlite"}`:                   `{"file":"…/t.sqlite"}`,
		`there is no file /tmp/a/b.sqlite: a build makes it`:      `there is no file …/b.sqlite: a build makes it`,
		`/var/lib/x.pem`:                                          `…/x.pem`,
		`file:///tmp/t.db?mode=ro`:                                `file://…/t.db?mode=ro`,
		`sqlite:/tmp/t.db, (/tmp/u.db)`:                           `sqlite:…/t.db, (…/u.db)`,
		`<td>/tmp/rows-1</td><a href="https://home/me/x">`:        `<td>…/rows-1</td><a href="https://home/me/x">`,
		`{"file":"C:\\Users\\me\\t.sqlite"}`:                      `{"file":"…/t.sqlite"}`,
		`open D:\data\t.db: no`:                                   `open …/t.db: no`,
		`12/s, 3/4, a/tmp/b, /api/v1/jobs, "/jobs/{id}", </home>`: `12/s, 3/4, a/tmp/b, /api/v1/jobs, "/jobs/{id}", </home>`,
		`see /tmp/a and /tmp/b/c, or /tmp//d///e`:                 `see …/a and …/c, or …/e`,
		`/tmp`:                  `/tmp`,
		`/tmp/`:                 `…/`,
		`"/tmp/ "`:              `"…/ "`,
		`12:30:00 UTC; TPM: 12`: `12:30:00 UTC; TPM: 12`,
	} {
		if got := string(f.hide([]byte(text), strings.HasPrefix(text, "{"))); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Users with the role look see no folder of the server in any response of the API, however it is
// written, and users with the role act see all of them.
func TestRoleLook_SeesNoFolders(t *testing.T) {
	folder, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "t.sqlite")
	if _, err := os.Stat("/"); err != nil {
		t.Skip("this machine has no root folder")
	}
	write := func(change func(*Config)) *site {
		return start(t, func(c *Config) {
			c.Plain = []string{"/api/v1/manual"}
			c.API = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/api/v1/binary":
					w.Header().Set("Content-Type", "application/octet-stream")
				case "/api/v1/stream":
					w.Header().Set("Content-Type", "text/event-stream")
				default:
					w.Header().Set("Content-Type", "application/json")
				}
				whole := fmt.Sprintf("{\"file\":%q,\"reason\":\"no file %s: build it\"}", file, file)
				if r.URL.Path == "/api/v1/whole" {
					w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
					_, _ = w.Write([]byte(whole))
					return
				}
				for _, b := range []byte(whole) { // byte by byte
					_, _ = w.Write([]byte{b})
				}
				_ = http.NewResponseController(w).Flush()
			})
			c.Others = map[string]http.Handler{"/env": c.API}
			if change != nil {
				change(c)
			}
		})
	}
	s, closed := write(nil), write(func(c *Config) { c.ReadOnly = true })
	for _, path := range []string{"/api/v1/whole", "/api/v1/pieces", "/api/v1/stream", "/env"} {
		for who, shown := range map[string]bool{"ann": true, "lou": false} {
			reply := s.ask(s.in(who), "GET", path, "")
			if got := strings.Count(reply.body, folder); got != 0 && !shown || got != 2 && shown || strings.Count(reply.body, "t.sqlite") != 2 {
				t.Errorf("%s: %s gets %s", path, who, reply.body)
			}
		}
		if reply := closed.ask(closed.in("ann"), "GET", path, ""); strings.Contains(reply.body, folder) {
			t.Errorf("%s of a read-only server: ann gets %s", path, reply.body)
		}
	}
	for _, path := range []string{"/api/v1/binary", "/api/v1/manual/page"} {
		if reply := s.ask(s.in("lou"), "GET", path, ""); strings.Count(reply.body, folder) != 2 {
			t.Errorf("%s: lou gets %s, want the response as it is", path, reply.body)
		}
	}
}

// A text without folders does not change again.
func FuzzFolders(f *testing.F) {
	f.Add([]byte(`/tmp/a b/c, C:\x\y, file:///home/x/y //tmp//`))
	f.Add([]byte(`{"file":"C:\\a\\b","at":"/home/me/t.sqlite"}`))
	hidden := folders{map[string]bool{"home": true, "tmp": true}, true}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, isJSON := range []bool{true, false} {
			once := hidden.hide(text, isJSON)
			if again := hidden.hide(once, isJSON); string(again) != string(once) {
				t.Errorf("%q becomes %q and then %q", text, once, again)
			}
		}
	})
}
