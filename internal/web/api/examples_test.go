package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/notice"
	"sledge/internal/report/reporttest"
	"sledge/internal/testserver"
	"sledge/internal/web"
	"sledge/internal/web/share"
)

// step is a request of the test that records and replays the examples of the description. In path and
// body, $name stands for a value that the test knows.
type step struct {
	operation string
	path      string
	body      string
	status    int
	id        string // name for the member id, build, profile or number of the response
	kind      string // media type of the body, unless it is application/json
	most      int    // number of messages of a stream to read; 0 for all
	unseen    bool   // not an example: it only prepares a later step
}

// steps use every operation at least once, in an order in which they succeed, and every refusal that
// needs no special state of the server.
var steps = []step{
	{operation: "get-version", path: "/version", status: 200},
	{operation: "get-server", path: "/server", status: 200},
	{operation: "list-web-users", path: "/web/users", status: 200},
	{operation: "get-defaults", path: "/defaults", status: 200},
	{operation: "list-manual", path: "/manual", status: 200},
	{operation: "get-manual-page", path: "/manual/page?name=sizing", status: 200},
	{operation: "search-manual", path: "/manual/search?text=connection+pooler", status: 200},
	{operation: "list-databases", path: "/databases", status: 200},
	{operation: "list-workloads", path: "/workloads", status: 200},
	{operation: "list-options", path: "/options?database=pg&workload=tprocc", status: 200},

	{operation: "keep-connection", path: "/connections/lab", body: `{"database": "sqlite", "values": {"dbname": "tpcc.sqlite"}}`, status: 200},
	{operation: "list-connections", path: "/connections", status: 200},
	{operation: "show-connection", path: "/connections/lab", status: 200},
	{operation: "save-setup", path: "/setups", body: `{"name": "nightly", "action": "run", "settings": {"connection": "lab", "users": 8, "duration": "10m"}}`, status: 201, id: "setup"},
	{operation: "change-setup", path: "/setups/$setup", body: `{"name": "nightly, 10 minutes"}`, status: 200},
	{operation: "list-setups", path: "/setups", status: 200},
	{operation: "show-setup", path: "/setups/$setup", status: 200},
	{operation: "save-setup", path: "/setups", body: `{"name": "build here", "action": "build", "settings": {"db": "sqlite", "dbname": "here.sqlite", "labels": "project=kernel"}}`, status: 201, id: "here", unseen: true},
	{operation: "start-setup", path: "/setups/$here/start", status: 201, id: "started"},
	{operation: "abort-job", path: "/jobs/$started/abort", status: 202, unseen: true}, // nothing needs its schema
	{operation: "watch-job", path: "/jobs/$started/events", status: 200, unseen: true},
	{operation: "check-settings", path: "/settings", body: exampleRun, status: 200},
	{operation: "check-form", path: "/settings/check", body: `{"action": "run", "settings": {"db": "pg", "port": "many"}}`, status: 200},
	{operation: "show-settings-as", path: "/settings/forms", body: `{"action": "build", "settings": {"db": "pg", "host": "db1", "warehouses": 10}}`, status: 200},
	{operation: "read-settings", path: "/settings/read", body: `{"text": "dbset db pg\ndbset bm TPC-C\ndiset tpcc pg_count_ware 10\nbuildschema\n"}`, status: 200},

	{operation: "start-chain", path: "/chains", body: `{"settings": {"db": "sqlite", "dbname": "tpcc.sqlite", "warehouses": 1, "users": 2, "duration": 5}}`, status: 201, id: "build"},
	{operation: "get-chain", path: "/chains/$build", status: 200},
	{operation: "stop-chain", path: "/chains/$build/stop", status: 202},
	{operation: "watch-job", path: "/jobs/$build/events", status: 200, unseen: true},
	{operation: "test-connection", path: "/connections/lab/test", status: 200},
	{operation: "test-settings", path: "/settings/test", body: exampleFile, status: 200},
	{operation: "preview-deletion", path: "/settings/deletion", body: exampleFile, status: 200},

	{operation: "start-job", path: "/jobs", body: exampleRun, status: 201, id: "run"},
	{operation: "view-job", path: "/jobs/$run/live", status: 200, most: 6},
	{operation: "list-users", path: "/jobs/$run/users?state=running&limit=2", status: 200},
	{operation: "watch-job", path: "/jobs/$run/events", status: 200},
	{operation: "view-job", path: "/jobs/$run/live", status: 200},
	{operation: "show-result", path: "/jobs/$run/result", status: 200},
	{operation: "show-series", path: "/jobs/$run/series?points=800", status: 200},
	{operation: "show-samples", path: "/jobs/$run/samples?points=16", status: 200},
	{operation: "show-activity", path: "/jobs/$run/activity?points=16", status: 200},
	{operation: "show-points", path: "/jobs/$run/points?points=480", status: 200},
	{operation: "show-timing", path: "/jobs/$run/timing", status: 200},
	{operation: "show-histograms", path: "/jobs/$run/histograms", status: 200},
	{operation: "show-plans", path: "/jobs/$run/plans", status: 200},
	{operation: "show-output", path: "/jobs/$run/output?user=1&limit=5", status: 200},
	{operation: "show-failures", path: "/jobs/$run/failures", status: 200},
	{operation: "export-job", path: "/jobs/$run/export", status: 200},
	{operation: "report-job", path: "/jobs/$run/report", status: 200},
	{operation: "annotate-job", path: "/jobs/$run", body: `{"labels": {"kernel": "6.11", "experiment": "kernels"}, "note": "new disks"}`, status: 200},
	{operation: "list-experiments", path: "/experiments?limit=10", status: 200},
	{operation: "show-experiment", path: "/experiments/kernels", status: 200},
	{operation: "report-experiment", path: "/experiments/kernels/report", status: 200},
	{operation: "show-history", path: "/history?name=kernel%3D6.11", status: 200},
	{operation: "report-history", path: "/history/report?name=kernel%3D6.11", status: 200},
	{operation: "add-note", path: "/jobs/$run/notes", body: `{"from_seconds": 1.5, "until_seconds": 3, "text": "cache is filling"}`, status: 201, id: "note"},
	{operation: "change-note", path: "/jobs/$run/notes/$note", body: `{"text": "the cache is filling"}`, status: 200},
	{operation: "list-notes", path: "/jobs/$run/notes", status: 200},
	{operation: "delete-note", path: "/jobs/$run/notes/$note", status: 204},
	{operation: "list-jobs", path: "/jobs?action=run&limit=10", status: 200},
	{operation: "show-job", path: "/jobs/$run", status: 200},

	{operation: "share", path: "/shares", body: `{"kind": "job", "ids": ["last"]}`, status: 201, id: "link"},
	{operation: "list-shares", path: "/shares", status: 200},
	{operation: "revoke-share", path: "/shares/$link", status: 204},

	{operation: "save-board", path: "/boards", body: `{"name": "Wall", "tiles": [{"kind": "figure", "label": "ticket=4711"}, {"kind": "throughput", "job": "last"}]}`, status: 201},
	{operation: "list-boards", path: "/boards", status: 200},
	{operation: "show-board", path: "/boards/1", status: 200},
	{operation: "change-board", path: "/boards/1", body: `{"name": "Wall", "tiles": [{"kind": "figure", "label": "ticket=4711"}]}`, status: 200},
	{operation: "delete-board", path: "/boards/1", status: 204},

	{operation: "start-sequence", path: "/sequences", body: `{"action": "run", "settings": {"connection": "lab", "users": "1,2", "rampup": 0, "duration": "1s"}}`, status: 201, id: "profile"},
	{operation: "list-sequences", path: "/sequences", status: 200},
	{operation: "watch-job", path: "/jobs/last/events", status: 200, most: 1, unseen: true},
	{operation: "stop-sequence", path: "/sequences/$profile/stop", status: 202},
	{operation: "watch-job", path: "/jobs/last/events", status: 200, unseen: true},
	{operation: "start-job", path: "/jobs", body: `{"action": "run", "settings": {"connection": "lab", "users": 2, "rampup": 0, "duration": "1s"}, "profile": 1000}`, status: 201, id: "second", unseen: true},
	{operation: "watch-job", path: "/jobs/$second/events", status: 200, unseen: true},
	{operation: "show-profile", path: "/profiles/$profile", status: 200},
	{operation: "list-profiles", path: "/profiles", status: 200},
	{operation: "compare-profiles", path: "/profiles/compare?number=$profile&number=1000", status: 200},
	{operation: "report-profile", path: "/profiles/$profile/report", status: 200},
	{operation: "compare-jobs", path: "/compare?id=$run&id=$second", status: 200},
	{operation: "list-curves", path: "/curves?id=$run", status: 200},
	{operation: "best-runs", path: "/best", status: 200},

	{operation: "start-job", path: "/jobs", body: `{"action": "run", "settings": {"connection": "lab", "duration": "10m"}}`, status: 201, id: "long", unseen: true},
	{operation: "watch-job", path: "/jobs/$long/events", status: 200, most: 1, unseen: true},
	{operation: "stop-job", path: "/jobs/$long/stop", status: 202},
	{operation: "watch-job", path: "/jobs/$long/events", status: 200, unseen: true},
	{operation: "delete-job", path: "/jobs/$long", status: 200},
	{operation: "start-job", path: "/jobs", body: `{"action": "run", "settings": {"connection": "lab", "duration": "10m"}}`, status: 201, id: "other", unseen: true},
	{operation: "watch-job", path: "/jobs/$other/events", status: 200, most: 1, unseen: true},
	{operation: "abort-job", path: "/jobs/$other/abort", status: 202},
	{operation: "watch-job", path: "/jobs/$other/events", status: 200, unseen: true},

	{operation: "start-counter", path: "/counters", body: `{"settings": {"db": "pg", "host": "$host", "port": "$port", "superuser": "$superuser", "superuser_password": "$password", "ssl_mode": "$ssl_mode"}, "interval_seconds": 1, "all_databases": true}`, status: 201, id: "counter"},
	{operation: "list-counters", path: "/counters", status: 200},
	{operation: "watch-counter", path: "/counters/$counter/events", status: 200, most: 3},
	{operation: "get-counter", path: "/counters/$counter", status: 200},
	{operation: "stop-counter", path: "/counters/$counter/stop", status: 202},

	{operation: "write-script", path: "/scripts/hello.tcl", body: `{"text": "puts \"hello from [lindex $argv 0]\"\n"}`, status: 200},
	{operation: "list-scripts", path: "/scripts", status: 200},
	{operation: "get-script", path: "/scripts/hello.tcl", status: 200},
	{operation: "run-script", path: "/scripts/hello.tcl/run", body: `{"arguments": ["ann"]}`, status: 201, id: "execution"},
	{operation: "watch-execution", path: "/executions/$execution/output", status: 200},
	{operation: "get-execution", path: "/executions/$execution", status: 200},
	{operation: "delete-script", path: "/scripts/hello.tcl", status: 204},
	{operation: "open-console", path: "/executions", body: `{"language": "tcl", "columns": 80, "rows": 24}`, status: 201, id: "console"},
	{operation: "resize-console", path: "/executions/$console/size", body: `{"columns": 100, "rows": 30}`, status: 204},
	{operation: "watch-execution", path: "/executions/$console/output", status: 200, most: 1, unseen: true},
	{operation: "type-at-console", path: "/executions/$console/input", body: `{"text": "print dict\r"}`, status: 204},
	{operation: "list-executions", path: "/executions", status: 200},
	{operation: "stop-execution", path: "/executions/$console/stop", status: 202},
	{operation: "list-console-words", path: "/console/words", status: 200},
	{operation: "draft-driver-script", path: "/console/driver?database=pg&workload=tprocc", status: 200},
	{operation: "set-console-setting", path: "/console/settings", body: `{"dictionary": "generic", "section": "virtual_user_options", "key": "virtual_users", "value": "8"}`, status: 200},
	{operation: "list-console-settings", path: "/console/settings", status: 200},

	{operation: "put-notice-receiver", path: "/notices/receivers/ops", body: `{"events": ["failed", "missed"], "pages": "https://load1.example.com/", "webhook": {"url": "$hook/hook", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}}`, status: 200},
	{operation: "test-notice-receiver", path: "/notices/receivers/ops/test", status: 200},
	{operation: "list-notices", path: "/notices", status: 200},
	{operation: "remove-notice-receiver", path: "/notices/receivers/ops", status: 204},

	{operation: "list-files-options", path: "/datagen/options?workload=tproch", status: 200},
	{operation: "outline-files", path: "/datagen/outline", body: exampleFiles, status: 200},
	{operation: "write-files", path: "/datagen", body: exampleFiles, status: 201, id: "task"},
	{operation: "watch-files-task", path: "/datagen/$task/events", status: 200},
	{operation: "get-files-task", path: "/datagen/$task", status: 200},
	{operation: "list-files", path: "/datagen/$task/files?limit=2", status: 200},
	{operation: "verify-files", path: "/datagen/verify", body: `{"folder": "rows"}`, status: 201},
	{operation: "write-files", path: "/datagen", body: `{"folder": "more", "settings": {"workload": "tprocc", "warehouses": 2000}}`, status: 201, id: "large"},
	{operation: "list-files-tasks", path: "/datagen", status: 200},
	{operation: "stop-files-task", path: "/datagen/$large/stop", status: 202},

	{operation: "create-schedule", path: "/schedules", body: `{"setup": 1, "cron": "0 2 * * 1-5", "zone": "Europe/Berlin"}`, status: 201, id: "schedule"},
	{operation: "preview-schedule", path: "/schedules/times?cron=0+2+*+*+1-5&zone=Europe/Berlin", status: 200},
	{operation: "change-schedule", path: "/schedules/$schedule", body: `{"enabled": false}`, status: 200},
	{operation: "list-schedules", path: "/schedules", status: 200},
	{operation: "list-scheduled-starts", path: "/schedules/$schedule/starts", status: 200},
	{operation: "delete-schedule", path: "/schedules/$schedule", status: 204},
	{operation: "delete-setup", path: "/setups/$setup", status: 204},
	{operation: "forget-connection", path: "/connections/lab", status: 204},

	{operation: "start-job", path: "/jobs", body: `{"action": "run"`, status: 400},
	{operation: "show-job", path: "/jobs/0000", status: 404},
	{operation: "stop-job", path: "/jobs/$run/stop", status: 409},
	{operation: "start-job", path: "/jobs", body: `"` + strings.Repeat("x", mostBody) + `"`, status: 413},
	{operation: "start-job", path: "/jobs", body: "<job/>", kind: "application/xml", status: 415},
	{operation: "start-job", path: "/jobs", body: `{"action": "run", "settings": {"db": "pg", "port": "many"}}`, status: 422},
}

// Requests of several steps.
const (
	exampleRun   = `{"action": "run", "settings": {"connection": "lab", "users": 2, "rampup": "1s", "duration": "3s"}, "labels": {"ticket": "4711"}}`
	exampleFile  = `{"settings": {"db": "sqlite", "dbname": "tpcc.sqlite"}}`
	exampleFiles = `{"folder": "rows", "settings": {"db": "pg", "workload": "tproch", "scale": 0.01}, "format": "csv", "header": true}`
)

// TestExamples_AreReal performs all steps with real jobs, servers and scripts. The responses must fit
// the description, and the recorded examples must be of these requests. With -update it records them.
func TestExamples_AreReal(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	p := newPlayer(t)
	var got []example
	for _, s := range steps {
		if e := p.play(s); !s.unseen {
			got = append(got, e)
		}
	}
	got = append(got, p.refusals()...)
	if t.Failed() {
		return
	}
	if reporttest.Updating() {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	const remedy = "the examples are old: go test ./internal/web/api -run TestExamples -update, then go generate ./internal/web/api"
	want := examples()
	if len(want) != len(got) {
		t.Fatalf("there are %d examples, want %d: %s", len(want), len(got), remedy)
	}
	for i, one := range got {
		kept := want[i]
		if one.Operation != kept.Operation || one.Status != kept.Status || !bytes.Equal(compacted(t, one.Request), compacted(t, kept.Request)) {
			t.Errorf("example %d is %s with %s, want %s with %s: %s", i, kept.Operation, kept.Request, one.Operation, one.Request, remedy)
		}
	}
}

// Each operation and each refusal has an example, and the examples fit the description.
func TestExamples_FitTheDescription(t *testing.T) {
	w := newWorld(t)
	described := w.api.huma.OpenAPI()
	illustrated := map[string]bool{}
	for _, e := range examples() {
		illustrated[e.Operation] = true
		method, template := "", ""
		for _, o := range operationsOf(described) {
			if o.OperationID == e.Operation {
				method, template = strings.ToLower(o.Method), o.Path
			}
		}
		if method == "" {
			t.Errorf("there is an example of %s, which does not exist", e.Operation)
			continue
		}
		if e.Request != nil && e.Status < 300 {
			w.validate(pointer("paths", template, method, "requestBody", "content", "application/json", "schema"), e.Request)
		}
		response := func(kind string) string {
			return pointer("paths", template, method, "responses", fmt.Sprint(e.Status), "content", kind, "schema")
		}
		switch {
		case e.Status >= 300:
			w.validate("#/components/schemas/api.Problem", e.Response)
		case e.Kind == streamKind:
			for _, message := range messagesOf(t, e.Response) {
				w.validate(response(streamKind)+"/contentSchema/items", message)
			}
		case e.Kind == "" && e.Response != nil:
			w.validate(response("application/json"), e.Response)
		}
	}
	for _, o := range operationsOf(described) {
		if !illustrated[o.OperationID] {
			t.Errorf("there is no example of %s", o.OperationID)
		}
	}
	for name, r := range described.Components.Responses {
		if name != otherRefusal && name != tooLong && r.Content[problemKind].Example == nil {
			t.Errorf("there is no example of the refusal %s", name)
		}
	}
	messages := pointer("paths", "/jobs/{id}/live", "get", "responses", "200", "content", streamKind, "schema") + "/contentSchema/items"
	for _, wrong := range []string{`{"id": "1"}`, `{"id": "1", "event": "end", "data": {}}`, `{"id": "1", "data": {"points": 1}}`} {
		if w.shape(messages).Validate(w.parsed([]byte(wrong))) == nil {
			t.Errorf("the message %s fits the description", wrong)
		}
	}
}

// player performs steps.
type player struct {
	*world
	file   string            // of the examples
	known  map[string]string // values of $name
	shown  map[string]string // text to record in place of a value of this machine
	hidden []string          // the keys of shown, the longest first
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	file, err := filepath.Abs("examples.json")
	if err != nil {
		t.Fatal(err)
	}
	server, program := testserver.Open(t, "postgresql"), testserver.Program(t)
	w := newWorld(t)
	folder := t.TempDir()
	t.Chdir(folder)
	w.api.Version = "v1.0.0"
	w.api.Connections = w.api.Resolver.ConnectionsIn(filepath.Dir(w.path))
	w.api.DataFolder = filepath.Join(folder, "datagen")
	w.api.Scripting = Scripting{Folder: filepath.Join(folder, "scripts"), Program: func(arguments ...string) *exec.Cmd {
		c := exec.Command(program, arguments...)
		c.Env = append(os.Environ(), "HOME="+folder, "SLEDGE_REPO="+w.path, "TMP="+folder)
		return c
	}}
	w.api.scripts.runner.Store.Folder, w.api.scripts.runner.Command = w.api.Scripting.Folder, w.api.Scripting.Program
	w.api.Serving = func() Serving {
		return Serving{
			Address: "127.0.0.1:8080", Home: "http://127.0.0.1:8080/", Hostnames: []string{}, Proxies: []string{},
			Host: "loadgen1", Process: os.Getpid(), Begun: time.Now().UTC(), Folder: folder,
		}
	}
	w.api.Users = func() (Users, error) {
		return Users{[]User{{Name: "ann", Role: "act", By: "password", Added: time.Now().UTC()}}, []Command{{"Add a user", "sledge web user add NAME --role look"}}}, nil
	}
	w.api.Notices = notice.New(notice.Config{Folder: folder})
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(hook.Close)
	w.api.Shares = sharedByAnn{share.In(folder, time.Now)}
	values := server.Values()
	p := &player{
		world: w, file: file,
		known: map[string]string{"hook": hook.URL, "host": values["host"], "port": values["port"], "superuser": values["superuser"], "password": values["superuser_password"], "ssl_mode": values["ssl_mode"]},
		shown: map[string]string{folder: "/srv/sledge", filepath.Dir(w.path): "/srv/sledge", hook.URL: "https://ci.example.com", values["port"]: "5432"},
	}
	if host, err := os.Hostname(); err == nil && len(host) > 3 {
		p.shown[host] = "loadgen1"
	}
	for value := range p.shown {
		p.hidden = append(p.hidden, value)
	}
	slices.SortFunc(p.hidden, func(a, b string) int { return len(b) - len(a) })
	return p
}

// sharedByAnn are the shared links of a server whose only user is ann.
type sharedByAnn struct{ *share.Store }

func (s sharedByAnn) Add(_ context.Context, subject share.Subject, until time.Time) (share.Link, string, error) {
	return s.Store.Add(subject, "ann", time.Time{}, until)
}
func (s sharedByAnn) List(context.Context) ([]share.Link, error) { return s.Store.List() }
func (s sharedByAnn) Revoke(_ context.Context, id string) error  { return s.Store.Revoke(id) }

// names matches a name of a known value.
var names = regexp.MustCompile(`\$[a-z_]+`)

// filled replaces the names of known values.
func (p *player) filled(text string) string {
	return names.ReplaceAllStringFunc(text, func(name string) string {
		if value, known := p.known[name[1:]]; known {
			return value
		}
		return name
	})
}

// clean replaces values of this machine.
func (p *player) clean(text string) string {
	for _, value := range p.hidden {
		text = strings.ReplaceAll(text, value, p.shown[value])
	}
	return text
}

// play performs a step, and returns it as an example.
func (p *player) play(s step) example {
	p.Helper()
	path, body := p.filled(s.path), p.filled(s.body)
	method := ""
	for _, o := range operationsOf(p.api.huma.OpenAPI()) {
		if o.OperationID == s.operation {
			method = o.Method
		}
	}
	request, err := http.NewRequestWithContext(p.Context(), method, p.url+Prefix+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	if s.kind != "" {
		request.Header.Set("Content-Type", s.kind)
	}
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	if o, _ := p.described(request); o == nil || o.OperationID != s.operation {
		p.Fatalf("%s %s is not the operation %s", method, path, s.operation)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	var answer []byte
	if kind == streamKind {
		answer = readMessages(p.T, response.Body, s.most)
	} else if answer, err = io.ReadAll(response.Body); err != nil {
		p.Fatal(err)
	}
	if response.StatusCode != s.status {
		p.Fatalf("%s %s %.200s: got %d, want %d: %.500s", method, path, body, response.StatusCode, s.status, answer)
	}
	p.conforms(request, response, answer)
	if s.id != "" {
		var made struct {
			ID, Build       any
			Profile, Number int
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			p.Fatal(err)
		}
		p.known[s.id] = fmt.Sprint(cmp.Or(made.ID, made.Build, any(cmp.Or(made.Profile, made.Number))))
	}
	e := example{Operation: s.operation, Path: p.clean(path), Status: response.StatusCode}
	if json.Valid([]byte(body)) && len(body) < 4096 {
		e.Request = json.RawMessage(p.clean(body))
	}
	answer = []byte(p.clean(string(answer)))
	switch {
	case len(answer) == 0:
	case kind == streamKind:
		e.Kind, e.Response = kind, quoted(p.T, shortenedStream(p.T, string(answer)))
	case kind == "application/json" || kind == problemKind:
		e.Response = shortened(p.T, answer)
	default:
		e.Kind, e.Response = kind, quoted(p.T, cut(string(answer)))
	}
	return e
}

// refusals performs the steps that need another server, or another state of this one.
func (p *player) refusals() (list []example) {
	p.Helper()
	folder := p.TempDir()
	token, err := web.UsersIn(folder).AddToken("lou", web.Everywhere(web.Look))
	if err != nil {
		p.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.Fatal(err)
	}
	server, err := web.New(web.Config{Listener: listener, Folder: folder, API: p.api, Private: Private})
	if err != nil {
		p.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	direct := p.url
	p.url = strings.TrimSuffix(server.Home(), "/")
	list = append(list, p.play(step{operation: "list-jobs", path: "/jobs", status: 401}))
	p.token = token
	list = append(list, p.play(step{operation: "start-job", path: "/jobs", body: `{"action": "run", "settings": {"db": "pg"}}`, status: 403}))
	p.token, p.url = "", direct
	end()
	if err := <-ended; err != nil {
		p.Error(err)
	}

	taken := 0
	for p.api.streams.take("") == nil {
		taken++
	}
	list = append(list, p.play(step{operation: "watch-job", path: "/jobs/$run/events", status: 429}))
	for range taken {
		p.api.streams.free("")
	}

	p.api.Interrupt()
	return append(list, p.play(step{operation: "start-job", path: "/jobs", body: `{"action": "check", "settings": {"db": "sqlite", "dbname": "tpcc.sqlite"}}`, status: 503}))
}

// readMessages reads a stream up to a number of messages, or to its end.
func readMessages(t *testing.T, stream io.Reader, most int) []byte {
	t.Helper()
	var all bytes.Buffer
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 16<<20)
	for n := 0; lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "data: ") {
			n++
		}
		if most > 0 && n == most && lines.Text() == "" {
			break
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all.Bytes()
}

// messagesOf returns the messages in the example of a stream, each as an object.
func messagesOf(t *testing.T, example json.RawMessage) (list [][]byte) {
	t.Helper()
	var text string
	if err := json.Unmarshal(example, &text); err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		message := map[string]any{}
		for line := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			switch name {
			case "data":
				message[name] = json.RawMessage(value)
			case "id", "event":
				message[name] = value
			}
		}
		if message["data"] == nil {
			continue // a comment, or the time to wait before the next connection
		}
		one, err := json.Marshal(message)
		if err != nil {
			t.Fatalf("%v in %s", err, block)
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		t.Fatalf("there is no message in %q", text)
	}
	return list
}

// mostMessages is the number of messages of a stream in an example, without the last message.
const mostMessages = 5

// shortenedStream keeps the first message of each kind and the last message. Messages are of one kind
// if their data has the same members.
func shortenedStream(t *testing.T, text string) string {
	t.Helper()
	var kept []string
	seen := map[string]bool{}
	blocks := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, block := range blocks {
		head, data, is := strings.Cut(block, "data: ")
		kind := head
		if is {
			kind = fmt.Sprint(membersOf(json.RawMessage(data)))
			data = "data: " + string(compacted(t, shortened(t, []byte(data))))
		}
		if i < len(blocks)-1 && (seen[kind] || len(kept) > mostMessages) {
			continue
		}
		seen[kind] = true
		kept = append(kept, head+data)
	}
	return strings.Join(kept, "\n\n") + "\n\n"
}

const (
	mostElements   = 2   // of an array in an example
	mostCharacters = 300 // of a text in an example
)

// shortened cuts the arrays and texts of a JSON document, and keeps the order of its members.
func shortened(t *testing.T, text []byte) json.RawMessage {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	begin, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	end := map[json.Token]string{json.Delim('{'): "}", json.Delim('['): "]"}[begin]
	if end == "" {
		if plain, is := begin.(string); is {
			return quoted(t, cut(plain))
		}
		return bytes.TrimSpace(text)
	}
	var parts []string
	for d.More() {
		name := ""
		var value json.RawMessage
		if end == "}" {
			token, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			name = string(quoted(t, token.(string))) + ":"
		}
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if end == "}" || len(parts) < mostElements {
			parts = append(parts, name+string(shortened(t, value)))
		}
	}
	return json.RawMessage(fmt.Sprint(begin) + strings.Join(parts, ",") + end)
}

// cut cuts a text.
func cut(text string) string {
	if plain := []rune(text); len(plain) > mostCharacters {
		return string(plain[:mostCharacters]) + "…"
	}
	return text
}

// quoted returns a text as JSON.
func quoted(t *testing.T, text string) json.RawMessage {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// compacted returns a document without spaces.
func compacted(t *testing.T, text json.RawMessage) []byte {
	t.Helper()
	if text == nil {
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// membersOf returns the names of a document's members, sorted; nil if it is not an object.
func membersOf(document json.RawMessage) (names []string) {
	var members map[string]json.RawMessage
	if json.Unmarshal(document, &members) != nil {
		return nil
	}
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
