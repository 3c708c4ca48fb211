// Package api is the HTTP API: it lists databases, workloads and recorded jobs, and starts, follows
// and ends jobs. It responds with the documents that commands print, is described by OpenAPI, and
// leaves decisions to the packages settings, control and repository. It does not know logins: the
// server that mounts it authorizes requests.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sledge/internal/control"
	"sledge/internal/control/tasks"
	"sledge/internal/datagen"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/repository"
	"sledge/internal/scripting"
	"sledge/internal/settings"
)

//go:generate go run ./generate

// Prefix begins the path of every operation.
const Prefix = "/api/v1"

// Config configures an API.
type Config struct {
	Resolver settings.Resolver
	Runner   job.Runner
	Store    *repository.Store // records jobs; the caller closes it after API.Close

	// ConfigFile, Environ and System are sources of settings. Settings of a request win over them,
	// as flags of the command line do: see settings.Sources.
	ConfigFile string
	Environ    []string
	System     string

	// Scripting configures scripts and the console, which can do everything that the server's
	// account can do.
	Scripting Scripting

	// DataFolder contains the folders of generated files; "" if there is none.
	DataFolder string

	// Connections are the saved connections; nil saves none. Version is the version of Sledge.
	Connections *settings.Connections
	Version     string

	// Serving describes the server that mounts the API, and Users its users. They may be nil.
	Serving func() Serving
	Users   func() (Users, error)

	// UserName returns the user of a request, by its context. Note adds details of a request to
	// the audit log. They may be nil.
	UserName func(context.Context) string
	Note     func(ctx context.Context, what string)

	// Say prints a bug or a failure, one line each; it may be nil.
	Say func(line string)
}

// API is an http.Handler. The jobs that it starts continue after the response to the request that
// started them.
type API struct {
	Config
	mux  *http.ServeMux
	huma huma.API
	text []byte // the OpenAPI description

	ctx      context.Context // of jobs and of streams
	end      context.CancelFunc
	streams  quota
	watchers atomic.Int64 // streams of jobs that were started here
	points   pointsStore
	clearing sync.WaitGroup
	scripts  *scripting.Runner
	files    datagen.Runner

	mu       sync.Mutex // held only briefly
	closing  bool       // no more jobs, scripts or counters start
	closed   bool       // Close no longer waits for new background work
	requests int        // requests to end the program
	starting int        // jobs that are being added to the repository
	running  map[job.ID]*control.Handle
	ended    []job.Job          // jobs whose end could not be recorded: the repository still lists them as running
	viewed   map[job.ID]*viewed // jobs with a live view

	sweeps      tasks.List[*sweep] // sequences of runs
	counters    tasks.List[*counting]
	counterKept time.Duration // how long a counter without followers continues
}

// Limits.
const (
	mostRunning = 64  // jobs that were started here
	mostStreams = 256 // streams of events
	mostOfOne   = 64  // streams of events of one user
	mostBody    = 256 << 10
)

// New returns an API, which Close ends.
func New(c Config) *API {
	a := &API{
		Config: c, mux: http.NewServeMux(), running: map[job.ID]*control.Handle{},
		viewed: map[job.ID]*viewed{}, counterKept: counterKept,
		streams: quota{what: "streams of events", remedy: "close one", most: mostStreams, mostOfOne: mostOfOne},
		points:  newPointsStore(),
	}
	if a.Say == nil {
		a.Say = func(string) {}
	}
	if a.Note == nil {
		a.Note = func(context.Context, string) {}
	}
	a.ctx, a.end = context.WithCancel(context.Background())
	config := huma.DefaultConfig("Sledge", "1")
	config.Info.Description = "Load tests for databases: set them up, run them, follow them, and read their results."
	config.Info.License = &huma.License{Name: "Apache 2.0", Identifier: "Apache-2.0"}
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // the default hook adds a member to every document
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", nameOf)
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[meter.Summary](), reflect.TypeFor[meter.CodedSummary]()) // as it is encoded
	config.Transformers = []huma.Transformer{withoutValues}
	config.RejectUnknownQueryParameters = true
	a.huma = humago.NewWithPrefix(a.mux, Prefix, config)
	a.addCatalog()
	a.addJobs()
	a.addParts()
	a.addPoints()
	a.addProfiles()
	a.addComparisons()
	a.addReports()
	a.addVerbs()
	a.addConnections()
	a.addDeletion()
	a.addSetups()
	a.addSequences()
	a.addCounters()
	a.addEvents()
	a.addLive()
	a.openScripts()
	a.addScripts()
	a.addDatagen()
	a.addManual()
	a.addServer()
	a.addConsoleSettings()
	a.describe()
	return a
}

// Document returns the OpenAPI 3.1 description of the API as JSON.
func Document() []byte {
	a := New(Config{})
	a.Close()
	return a.text
}

// describe creates the OpenAPI description, and serves it as JSON and as a page.
func (a *API) describe() {
	schemas := a.huma.OpenAPI().Components.Schemas.Map()
	for name, schema := range schemas {
		if strings.HasPrefix(name, "huma.") {
			delete(schemas, name) // Problem replaces them
		}
		for _, member := range schema.Properties {
			member.Nullable = member.Nullable && member.Type != huma.TypeArray // an array without elements is empty or left out
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(a.huma.OpenAPI()); err != nil {
		panic(err) // the types are ours
	}
	a.text = b.Bytes()
	page := pageOf(a.huma.OpenAPI())
	serve := func(path, kind string, text []byte) {
		a.mux.HandleFunc("GET "+Prefix+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(text) // the client may be gone
		})
	}
	serve("/openapi.json", "application/openapi+json", a.text)
	serve("/docs", "text/html; charset=utf-8", page)
}

// ServeHTTP implements http.Handler. Paths begin with Prefix.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	defer func() {
		switch fault := recover(); {
		case fault == nil:
		case fault == http.ErrAbortHandler || r.Context().Err() != nil:
			panic(http.ErrAbortHandler) // the client has gone
		default:
			a.Say(fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, fault))
			problem(http.StatusInternalServerError, "this is a bug in Sledge: please report it, with the lines that the server printed").write(w)
		}
	}()
	if _, pattern := a.mux.Handler(r); pattern != "" {
		a.mux.ServeHTTP(w, r)
		return
	}
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := a.mux.Handler(other); pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		problem(http.StatusNotFound, "this address does not exist: %s/docs lists the addresses", Prefix).write(w)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	problem(http.StatusMethodNotAllowed, "this address does not accept %s, only %s", r.Method, strings.Join(allowed, ", ")).write(w)
}

// Active names everything that Wait waits for: jobs, scripts and consoles that were started here,
// and folders whose files are being written or verified.
func (a *API) Active() (names []string) {
	a.mu.Lock()
	for id := range a.running {
		names = append(names, "job "+string(id))
	}
	starting := a.starting
	a.mu.Unlock()
	slices.Sort(names)
	if starting > 0 {
		names = append(names, "a job that begins")
	}
	for _, e := range a.scripts.List() {
		switch r := e.Report(); {
		case r.Status != tasks.Running:
		case r.Kind == scripting.OfConsole:
			names = append(names, "a console")
		default:
			names = append(names, "script "+r.Script)
		}
	}
	for _, t := range a.files.List() {
		if r := t.Report(); r.Status == tasks.Running {
			names = append(names, "files in "+r.Folder)
		}
	}
	return names
}

// Interrupt handles a request to end the program. Counters end, and nothing is started any more. Jobs
// and scripts that were started here end as after Ctrl-C: a run stops at the first request and is
// aborted at the second. A script that ignores the second request is killed.
func (a *API) Interrupt() {
	a.mu.Lock()
	a.closing = true
	a.requests++
	handles := a.handles()
	a.mu.Unlock()
	a.sweeps.End()
	a.endCounters()
	for _, h := range handles {
		h.Interrupt()
	}
	a.scripts.Interrupt()
	a.files.Interrupt()
}

// Wait waits until everything that Active names has ended and is recorded. Then it waits up to
// timeToRead for clients to read how the jobs ended.
func (a *API) Wait() {
	for more := true; more; {
		a.mu.Lock()
		handles := a.handles()
		more = a.starting > 0
		a.mu.Unlock()
		for _, h := range handles {
			h.Wait()
		}
		if more {
			time.Sleep(10 * time.Millisecond)
		}
	}
	a.scripts.Wait(a.ctx)
	a.files.Wait()
	for begun := time.Now(); a.watchers.Load() > 0 && time.Since(begun) < timeToRead; {
		time.Sleep(10 * time.Millisecond)
	}
}

// timeToRead is the time for clients to read how a job ended, before the program ends.
const timeToRead = 2 * time.Second

// Close aborts everything that is active, waits until it is recorded, and ends all streams.
func (a *API) Close() {
	a.mu.Lock()
	a.closing = true
	a.requests += control.Patience // jobs that are just starting are aborted
	handles := a.handles()
	a.mu.Unlock()
	a.sweeps.End()
	a.endCounters()
	for _, h := range handles {
		h.Abort()
	}
	a.scripts.Close()
	a.files.Interrupt()
	a.Wait()
	a.end()
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.clearing.Wait()
}

// inBackground calls do in a goroutine for which Close waits. It returns false if the API is
// closed. The caller holds the lock.
func (a *API) inBackground(do func()) bool {
	if a.closed {
		return false
	}
	a.clearing.Go(do)
	return true
}

// ending returns the Problem of a request that comes while the server ends.
func ending(what string) *Problem {
	return problem(http.StatusServiceUnavailable, "%s: the server is ending", what)
}

// handles returns the handles of the running jobs. The caller holds the lock.
func (a *API) handles() (list []*control.Handle) {
	for _, h := range a.running {
		list = append(list, h)
	}
	return list
}

// handle returns the handle of a running job that was started here, or nil.
func (a *API) handle(id job.ID) *control.Handle {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running[id]
}

// jobEnded records that a job that was started here has ended.
func (a *API) jobEnded(o control.Outcome) {
	if o.Lost != nil {
		a.Say(o.Lost.Error())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, o.Job.ID)
	if o.Lost != nil {
		a.ended = append(a.ended[max(0, len(a.ended)-mostRunning+1):], o.Job)
	}
}

// unrecordedEnd returns a job whose end could not be recorded.
func (a *API) unrecordedEnd(id job.ID) (j job.Job, is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.ended, func(j job.Job) bool { return j.ID == id })
	if i < 0 {
		return j, false
	}
	return a.ended[i], true
}

// headline returns the headline of a run as one line, or "".
func (a *API) headline(j job.Job) string { return views.Headline(j, a.Resolver.Catalog) }

// add adds an operation. Every error that it returns becomes a Problem.
func add[I, O any](a *API, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(problemType, true, "")
	if o.Responses == nil {
		o.Responses = map[string]*huma.Response{}
	}
	o.Responses["default"] = &huma.Response{
		Description: "The request was refused; the Problem has the reason.",
		Content:     map[string]*huma.MediaType{problemKind: {Schema: schema}},
	}
	o.MaxBodyBytes = mostBody
	huma.Register(a.huma, o, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, problemOf(err)
		}
		return out, nil
	})
}

// get describes an operation that changes nothing.
func get(id, path, summary string, tag string) huma.Operation {
	return huma.Operation{OperationID: id, Method: http.MethodGet, Path: path, Summary: summary, Tags: []string{tag}}
}

// of is a request or a response whose body is a document.
type of[T any] struct{ Body T }

// answer turns a document, or the error of creating it, into a response.
func answer[T any](document T, err error) (*of[T], error) {
	if err != nil {
		return nil, err
	}
	return &of[T]{document}, nil
}
