package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/runner/process"
	"sledge/internal/settings"
	"sledge/internal/testserver"
	"sledge/internal/web"
)

// local performs jobs in this process; the workers of these tests use it, too.
var local = engine.Local{Catalog: edition.Catalog, Version: "v1.0.0"}

// TestMain runs this program as a worker if its arguments request it, as cmd/sledge does.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == process.Command {
		os.Exit(int(process.Main(local)))
	}
	testserver.Main(m)
}

// world is a server with an API and its own repository.
type world struct {
	*testing.T
	api    *API
	url    string
	path   string     // of the repository
	token  string     // sent if it is not ""
	users  *web.Users // after mounted
	seen   strings.Builder
	shapes map[string]*jsonschema.Schema
	reader *jsonschema.Compiler // of the description; nil before the first shape
}

func newWorld(t *testing.T) *world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.db")
	store, err := repository.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	a := New(Config{
		Resolver: settings.Resolver{Catalog: edition.Catalog},
		Runner:   local,
		Store:    store,
		Say:      func(line string) { t.Errorf("the API says %s", line) },
	})
	server := httptest.NewServer(a)
	t.Cleanup(func() {
		server.CloseClientConnections()
		a.Close()
		server.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{T: t, api: a, url: server.URL, path: path, shapes: map[string]*jsonschema.Schema{}}
}

// call sends a request and validates the response against the description of its path and status.
// It returns the response.
func (w *world) call(method, path, body string, status int) map[string]any {
	w.Helper()
	answer := w.raw(method, path, body, status)
	var document map[string]any
	if err := json.Unmarshal(answer, &document); err != nil {
		w.Fatalf("%s %s: got %q: %v", method, path, answer, err)
	}
	return document
}

func (w *world) raw(method, path, body string, status int) []byte {
	w.Helper()
	got, answer := w.ask(method, path, body)
	if got != status {
		w.Fatalf("%s %s %s: got %d, want %d: %s", method, path, body, got, status, answer)
	}
	return answer
}

// ask sends a request and validates the response against the description of its path and status.
func (w *world) ask(method, path, body string) (status int, answer []byte) {
	w.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, w.url+Prefix+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	if w.token != "" {
		request.Header.Set("Authorization", "Bearer "+w.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		w.Fatal(err)
	}
	w.seen.Write(answer)
	w.conforms(request, response, answer)
	return response.StatusCode, answer
}

// conforms validates a response against the description of its path and status.
func (w *world) conforms(request *http.Request, response *http.Response, answer []byte) {
	w.Helper()
	status := strconv.Itoa(response.StatusCode)
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	o, template := w.described(request)
	if o != nil && o.Responses[status] == nil && response.StatusCode != http.StatusInternalServerError {
		w.Errorf("%s %s: the description does not list the status %s", request.Method, request.URL, status)
	}
	switch {
	case o == nil || response.StatusCode >= 300:
		if kind != problemKind {
			w.Errorf("%s %s: got an error of the type %s", request.Method, request.URL, kind)
		}
		w.validate("#/components/schemas/api.Problem", answer)
	case kind == "application/json":
		w.validate(pointer("paths", template, strings.ToLower(request.Method), "responses", status, "content", kind, "schema"), answer)
	case response.StatusCode != http.StatusNoContent && o.Responses[status].Content[kind] == nil:
		w.Errorf("%s %s: the description does not list the type %s", request.Method, request.URL, kind)
	}
}

// described returns the operation of a request in the description, and its path there; nil if there is
// no such operation.
func (w *world) described(request *http.Request) (o *huma.Operation, template string) {
	_, pattern := w.api.mux.Handler(request)
	_, template, _ = strings.Cut(pattern, Prefix)
	item := w.api.huma.OpenAPI().Paths[template]
	if item == nil {
		return nil, template
	}
	return map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete}[request.Method], template
}

// pointer returns a JSON pointer into the description.
func pointer(parts ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	text := "#"
	for _, part := range parts {
		text += "/" + escape.Replace(part)
	}
	return text
}

// validate validates a document against a schema of the description.
func (w *world) validate(shape string, document []byte) {
	w.Helper()
	if err := w.shape(shape).Validate(w.parsed(document)); err != nil {
		w.Errorf("%s: %v in %.2000s", shape, err, document)
	}
}

func (w *world) parsed(document []byte) any {
	w.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		w.Fatalf("%v in %s", err, document)
	}
	return value
}

// shape returns a schema of the description.
func (w *world) shape(name string) *jsonschema.Schema {
	w.Helper()
	if w.reader == nil {
		w.reader = jsonschema.NewCompiler()
		w.reader.AssertFormat()
		if err := w.reader.AddResource("openapi.json", w.parsed(w.api.text)); err != nil {
			w.Fatal(err)
		}
	}
	if w.shapes[name] == nil {
		compiled, err := w.reader.Compile("openapi.json" + name)
		if err != nil {
			w.Fatal(err)
		}
		w.shapes[name] = compiled
	}
	return w.shapes[name]
}

// message is a message of a stream.
type message struct {
	id, name string
	event    Event
	over     struct{ Status job.Status }
}

// follow reads the messages of a job from the message id from on, and calls each until each returns
// false or the job is over.
func (w *world) follow(id, from string, each func(message) bool) {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+Prefix+"/jobs/"+id+"/events", nil)
	if err != nil {
		w.Fatal(err)
	}
	if from != "" {
		request.Header.Set("Last-Event-ID", from)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		w.Fatalf("events of job %s from %q: got %d, %s", id, from, response.StatusCode, response.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	var m message
	for lines.Scan() {
		line := lines.Text()
		w.seen.WriteString(line + "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "id":
			m.id = value
		case "event":
			m.name = value
		case "data":
			if m.name == "over" {
				w.validate("#/components/schemas/report.Document", []byte(value))
				if err := json.Unmarshal([]byte(value), &m.over); err != nil {
					w.Fatal(err)
				}
				each(m)
				return
			}
			w.validate("#/components/schemas/api.Event", []byte(value))
			if err := json.Unmarshal([]byte(value), &m.event); err != nil {
				w.Fatal(err)
			}
			if !each(m) {
				return
			}
			m = message{}
		}
	}
	w.Fatalf("events of job %s: the stream ended before the job was over: %v", id, lines.Err())
}

// unhurried are settings with which users pause between transactions, so that a run leaves the machine to
// other tests.
var unhurried = map[string]any{"key_and_think": true, "keying_time": "0,0,0,0,0", "think_time": "0.01,0.01,0.01,0.01,0.01"}

// start starts a job and returns its ID.
func (w *world) start(wanted map[string]any) string {
	w.Helper()
	settings, _ := wanted["settings"].(map[string]any)
	if _, hasRate := settings["rate"]; wanted["action"] == "run" && settings["db"] == "sqlite" && !hasRate {
		wanted, settings = maps.Clone(wanted), maps.Clone(settings)
		maps.Copy(settings, unhurried)
		wanted["settings"] = settings
	}
	body, err := json.Marshal(wanted)
	if err != nil {
		w.Fatal(err)
	}
	id, _ := w.call(http.MethodPost, "/jobs", string(body), http.StatusCreated)["id"].(string)
	if id == "" {
		w.Fatal("a started job has no ID")
	}
	return id
}

// end waits until a job is over, and returns its status.
func (w *world) end(id string) (status job.Status) {
	w.Helper()
	w.follow(id, "", func(m message) bool { status = m.over.Status; return true })
	return status
}
