package web

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// withMember starts a server with the user kim, who acts in the project kernel. Its API allows a member of
// kernel to use the paths that contain "kernel".
func withMember(t *testing.T, change func(*Config)) *site {
	t.Helper()
	s := start(t, func(c *Config) {
		c.Others = map[string]http.Handler{"/jobs": c.API}
		c.Within = func(roles map[string]string, r *http.Request) (int, string) {
			if roles["kernel"] == "act" && strings.Contains(r.URL.Path, "kernel") {
				return 0, ""
			}
			return http.StatusNotFound, "not of kernel"
		}
		if change != nil {
			change(c)
		}
	})
	if err := s.users.AddPassword("kim", Rights{Projects: map[string]Role{"kernel": Act}}, password); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMember_HasThePagesAndWhatItsProjectAllows(t *testing.T) {
	s := withMember(t, nil)
	kim := s.in("kim")
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/api/v1/jobs/kernel", 200},
		{"POST", "/api/v1/jobs/kernel", 200},
		{"GET", "/api/v1/jobs/other", 404},
		{"POST", "/api/v1/jobs/other", 404},
		{"GET", "/api/v1/other/../kernel", 403},
		{"GET", "/api/v1/other%2F..%2Fkernel", 403},
		{"GET", "/api/kernel/", 403}, // not the shortest spelling
		{"GET", "/jobs", 403},
		{"GET", "/jobs?kernel", 403},
		{"POST", "/", 403},
		{"GET", "/session", 200},
		{"DELETE", "/session/others", 204},
	} {
		s.ask(kim, test.method, test.path, "").wants(t, test.want, test.method+" "+test.path)
	}
	s.ask(kim, "GET", "/api/v1/kernel", "", "Connection", "Upgrade", "Upgrade", "websocket").wants(t, 403, "another protocol")
	said := s.ask(kim, "GET", "/session", "").body
	for _, want := range []string{`"role":"member"`, `"projects":{"kernel":"act"}`, `"may_act":false`} {
		if !strings.Contains(said, want) {
			t.Errorf("the session is %s, want %s in it", said, want)
		}
	}
	s.ask(s.in("ann"), "GET", "/jobs", "").wants(t, 200, "ann, who is not a member")
	s = withMember(t, func(c *Config) { c.ReadOnly = true })
	s.ask(s.in("kim"), "GET", "/api/v1/kernel", "").wants(t, 200, "kim looks on a read-only server")
	s.ask(s.in("kim"), "POST", "/api/v1/kernel", "").wants(t, 403, "kim acts on a read-only server")
	s = withMember(t, func(c *Config) { c.Within = nil })
	s.ask(s.in("kim"), "GET", "/api/v1/kernel", "").wants(t, 403, "an API without projects")
}

// A stream of a member ends when the API no longer allows it, as when a job moves to another project.
func TestMember_StreamEndsWithTheRight(t *testing.T) {
	folder := t.TempDir()
	token, err := UsersIn(folder).AddToken("bot", Rights{Projects: map[string]Role{"kernel": Look}})
	if err != nil {
		t.Fatal(err)
	}
	var moved atomic.Bool
	var begun, ended <-chan struct{}
	s := serve(t, folder, func(c *Config) {
		begun, ended = streaming(c)
		c.Within = func(map[string]string, *http.Request) (int, string) {
			if moved.Load() {
				return http.StatusNotFound, "moved"
			}
			return 0, ""
		}
	}, func(s *Server) { s.lookAgain = 20 * time.Millisecond })
	watching := make(chan int, 1)
	go func() { watching <- s.follow(s.browser(), "/api/v1/events", 1<<30, "Authorization", "Bearer "+token) }()
	<-begun
	moved.Store(true)
	over(t, ended, "the job moved")
	if events := <-watching; events == 0 {
		t.Error("got no event before the job moved")
	}
}

func TestRights_AreEitherARoleOrProjects(t *testing.T) {
	users := UsersIn(t.TempDir())
	for text, rights := range map[string]Rights{
		`role ""`:                    {},
		`role "member"`:              {Role: member},
		`role "visitor"`:             {Role: visitor},
		"not both":                   {Role: Look, Projects: map[string]Role{"kernel": Act}},
		`project "kernel": role ""`:  {Projects: map[string]Role{"kernel": ""}},
		`project "kernel": role "x"`: {Projects: map[string]Role{"kernel": "x"}},
		"has no name":                {Projects: map[string]Role{"": Look}},
	} {
		if _, err := users.AddToken("ann", rights); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: got %v, want %s", rights, err, text)
		}
	}
	rights := Rights{Projects: map[string]Role{"nightly": Look, "kernel = 6.11": Own}}
	if _, err := users.AddToken("ann", rights); err != nil {
		t.Fatal(err)
	}
	list, err := users.List()
	if err != nil || len(list) != 1 || list[0].String() != "own in kernel = 6.11, look in nightly" {
		t.Errorf("got %v and %v", list, err)
	}
}
