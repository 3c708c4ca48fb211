package api

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository/repositorytest"
	"sledge/internal/web"
	"sledge/internal/web/share"
)

// mounted serves the API as the program does, with users, and returns their tokens.
func (w *world) mounted() (tokens map[web.Role]string) {
	w.Helper()
	folder := w.TempDir()
	w.users = web.UsersIn(folder)
	tokens = map[web.Role]string{"": ""}
	for _, role := range web.Roles {
		token, err := web.UsersIn(folder).AddToken(string(role), web.Everywhere(role))
		if err != nil {
			w.Fatal(err)
		}
		tokens[role] = token
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	shares := web.SharesIn(folder)
	w.api.Serving = func() Serving { return Serving{Hostnames: []string{}, Proxies: []string{}} }
	w.api.Shares, w.api.UserName, w.api.Projects, w.api.Note = shares, web.UserName, web.Projects, web.Note
	server, err := web.New(web.Config{Listener: listener, Folder: folder, API: w.api, Private: Private, Owned: Owned, Shares: shares, Shows: w.api.Shows, Within: w.api.Within})
	if err != nil {
		w.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	w.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			w.Error(err)
		}
	})
	w.url = strings.TrimSuffix(server.Home(), "/")
	return tokens
}

// visitor is a client with a shared link, or without a cookie the user of the token.
type visitor struct {
	*world
	at, cookie string
}

// visit opens a link by its path.
func (w *world) visit(path string) visitor {
	w.Helper()
	at, token, _ := strings.Cut(path, "#")
	response, err := http.DefaultClient.Post(w.url+"/"+at, "application/x-www-form-urlencoded", strings.NewReader("token="+token))
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.Fatalf("open a link: got %d", response.StatusCode)
	}
	cookie := response.Cookies()[0]
	return visitor{w, w.url + strings.TrimSuffix(cookie.Path, "/") + Prefix, cookie.Name + "=" + cookie.Value}
}

// status sends a request and returns the status, without reading the response.
func (v visitor) status(method, path string) int {
	v.Helper()
	ctx, cancel := context.WithCancel(v.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, v.at+path, nil)
	if err != nil {
		v.Fatal(err)
	}
	if v.cookie != "" {
		request.Header.Set("Cookie", v.cookie)
	} else {
		request.Header.Set("Authorization", "Bearer "+v.token)
	}
	response, err := http.DefaultTransport.RoundTrip(request) // follows no redirect
	if err != nil {
		v.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// runs records runs of three seconds.
func (w *world) runs(n int) (ids []string) {
	w.Helper()
	for range n {
		id, err := repositorytest.Day(w.Context(), w.api.Store, job.Spec{Database: "sqlite", Workload: "tprocc"}, 3)
		if err != nil {
			w.Fatal(err)
		}
		ids = append(ids, string(id))
	}
	return ids
}

// readable lists the operations that the page of each kind of link needs. Nothing else is allowed, so an
// operation that is added is refused until it is added here, too.
var readable = map[string][]string{
	share.Job: {
		"list-databases", "list-workloads", "show-job", "show-series", "show-samples", "show-activity", "show-points", "show-timing", "show-plans", "show-output", "show-failures", "list-notes", "view-job",
		"list-users", "report-job",
	},
	share.Comparison: {"list-databases", "list-workloads", "compare-jobs", "show-series", "show-histograms", "report-job"},
	share.Board:      {"list-databases", "list-workloads", "show-board", "show-job", "show-points", "view-job"},
}

// Every operation is tried by every role, and by visitors with links to a job, a comparison and a board.
func TestDescription_HasTheRolesThatTheServerDemands(t *testing.T) {
	w := newWorld(t)
	tokens := w.mounted()
	ids := w.runs(3)
	w.token = tokens[web.Act]
	w.call(http.MethodPost, "/boards", `{"name": "wall", "tiles": [{"kind": "throughput", "job": "`+ids[0]+`"}]}`, http.StatusCreated)
	w.call(http.MethodPost, "/boards", `{"name": "other", "tiles": []}`, http.StatusCreated)
	visitors := map[string]visitor{}
	for kind, body := range map[string]string{
		share.Job:        `{"kind": "job", "ids": ["` + ids[0] + `"]}`,
		share.Comparison: `{"kind": "comparison", "ids": ["` + ids[0] + `", "` + ids[1] + `"]}`,
		share.Board:      `{"kind": "board", "ids": ["1"]}`,
	} {
		visitors[kind] = w.visit(w.call(http.MethodPost, "/shares", body, http.StatusCreated)["path"].(string))
	}
	parameters := regexp.MustCompile(`{\w+}`)
	for _, o := range operationsOf(w.api.huma.OpenAPI()) {
		address := parameters.ReplaceAllString(o.Path, "none")
		if len(o.Security) != 2 || len(o.Security[0][byToken]) != 1 {
			t.Fatalf("%s: got the security %v", o.OperationID, o.Security)
		}
		role := web.Role(o.Security[0][byToken][0])
		w.token = ""
		w.raw(o.Method, address, "", http.StatusUnauthorized)
		for _, as := range web.Roles {
			w.token = tokens[as]
			status, answer := w.ask(o.Method, address, "")
			if refused := strings.Contains(string(answer), "and this needs the role"); status == http.StatusUnauthorized || refused != (slices.Index(web.Roles, as) < slices.Index(web.Roles, role)) || refused && status != http.StatusForbidden {
				t.Errorf("%s: got %d for the role %s, and the description demands the role %s: %s", o.OperationID, status, as, role, answer)
			}
		}
		own, other := parameters.ReplaceAllString(o.Path, ids[0]), parameters.ReplaceAllString(o.Path, ids[2])
		if strings.HasPrefix(o.Path, "/boards/") {
			own, other = parameters.ReplaceAllString(o.Path, "1"), parameters.ReplaceAllString(o.Path, "2")
		}
		for kind, v := range visitors {
			may := slices.Contains(readable[kind], o.OperationID)
			methods := []string{o.Method}
			if o.Method == http.MethodGet {
				methods = []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
			}
			for _, method := range methods {
				want := may && (method == http.MethodGet || method == http.MethodHead)
				if got := v.status(method, own); got == http.StatusUnauthorized || (got != http.StatusForbidden) != want {
					t.Errorf("a link to a %s: %s %s, %s: got %d", kind, method, own, o.OperationID, got)
				}
				if got := v.status(method, other); other != own && got != http.StatusForbidden {
					t.Errorf("a link to a %s: %s %s, %s of another job: got %d", kind, method, other, o.OperationID, got)
				}
			}
		}
	}
}

// Requests that come close to what a link shows are refused, too.
func TestSharedLinks_ShowNoOtherJob(t *testing.T) {
	w := newWorld(t)
	tokens := w.mounted()
	ids := w.runs(3)
	w.token = tokens[web.Act]
	link := func(body string) (id string, v visitor) {
		t.Helper()
		made := w.call(http.MethodPost, "/shares", body, http.StatusCreated)
		return made["id"].(string), w.visit(made["path"].(string))
	}
	_, one := link(`{"kind": "job", "ids": ["` + ids[0] + `"]}`)
	revoked, two := link(`{"kind": "comparison", "ids": ["` + ids[0] + `", "` + ids[1] + `"], "until": "` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"}`)
	in := func(pattern string) string {
		return strings.NewReplacer("$a", ids[0], "$b", ids[1], "$c", ids[2]).Replace(pattern)
	}
	for _, test := range []struct {
		v    visitor
		path string
		want int
	}{
		{one, "/jobs/$a", 200},
		{one, "/jobs/$a/live?after=1-2", 200},
		{one, "/jobs/$a/report", 200},
		{one, "/jobs/$a/report?with=$c", 403},
		{one, "/jobs/$a/report?with=$a", 403},
		{one, "/jobs/$a/report?view=true", 403},
		{one, "/jobs/$a/export", 403},
		{one, "/jobs/$a/export?format=csv", 403},
		{one, "/jobs/$a/events", 403},
		{one, "/jobs/$a/histograms", 403},
		{one, "/jobs/$a?id=$c", 403},
		{one, "/jobs/" + ids[0][:8], 403},
		{one, "/jobs/last", 403},
		{one, "/jobs/" + strings.ToUpper(ids[0]) + "x", 403},
		{one, "/jobs/$a/../$c", 403},
		{one, "/jobs/$c/../$a", 403},
		{one, "/jobs/$a%2F..%2F$c", 403},
		{one, "/jobs/$a;$c", 403},
		{one, "/jobs/$a?%zz", 403},
		{one, "/jobs?limit=1", 403},
		{one, "/compare?id=$a&id=$a", 403},
		{one, "/shares", 403},
		{one, "/openapi.json", 403},
		{one, "/docs", 403},
		{one, "/manual", 403},
		{two, "/compare?id=$a&id=$b", 200},
		{two, "/compare?id=$b&id=$a", 200},
		{two, "/compare?id=$a&id=$c", 403},
		{two, "/compare?id=$a&id=last", 403},
		{two, "/jobs/$a/report?with=$b", 200},
		{two, "/jobs/$a/report?with=$b&with=$c", 403},
		{two, "/jobs/$b/series?points=500", 200},
		{two, "/jobs/$b/series?points=500&until=2030-01-01T00:00:00Z", 403},
		{two, "/jobs/$c/series?points=500", 403},
		{two, "/jobs/$a", 403},
		{two, "/jobs/$a/points", 403},
	} {
		if got := test.v.status(http.MethodGet, in(test.path)); got != test.want {
			t.Errorf("%s: got %d, want %d", test.path, got, test.want)
		}
	}

	list := func(role web.Role) int {
		w.token = tokens[role]
		return len(w.call(http.MethodGet, "/shares", "", http.StatusOK)["links"].([]any))
	}
	if act, look, own := list(web.Act), list(web.Look), list(web.Own); act != 2 || look != 0 || own != 2 {
		t.Errorf("the maker sees %d links, another user %d, an owner %d", act, look, own)
	}
	w.token = tokens[web.Own]
	w.call(http.MethodPost, "/shares", `{"kind": "job", "ids": ["`+ids[2]+`"]}`, http.StatusCreated)
	w.token = tokens[web.Act]
	if n := list(web.Act); n != 2 {
		t.Errorf("a user sees %d links, want their own 2", n)
	}
	w.token = tokens[web.Look]
	w.call(http.MethodDelete, "/shares/"+revoked, "", http.StatusForbidden)
	w.token = tokens[web.Own]
	w.raw(http.MethodDelete, "/shares/"+revoked, "", http.StatusNoContent)
	if got := two.status(http.MethodGet, in("/compare?id=$a&id=$b")); got != http.StatusUnauthorized {
		t.Errorf("a revoked link: got %d, want 401", got)
	}
	w.call(http.MethodDelete, "/shares/"+revoked, "", http.StatusNotFound)
	for _, wrong := range []string{
		`{"kind": "job", "ids": ["` + ids[0] + `", "` + ids[1] + `"]}`, `{"kind": "comparison", "ids": ["` + ids[0] + `"]}`, `{"kind": "jobs", "ids": ["` + ids[0] + `"]}`,
		`{"kind": "job", "ids": ["` + ids[0] + `"], "until": "2020-01-01T00:00:00Z"}`, `{"kind": "job", "ids": ["` + ids[0] + `"], "until": "2200-01-01T00:00:00Z"}`,
	} {
		w.call(http.MethodPost, "/shares", wrong, http.StatusUnprocessableEntity)
	}
	w.call(http.MethodPost, "/shares", `{"kind": "job", "ids": ["0000"]}`, http.StatusNotFound)
}
