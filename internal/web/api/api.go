// Package api is Sledge over HTTP: what there is to choose from, the jobs that are kept, and
// the verbs by which a job is started, followed and ended. It answers in the documents that
// commands print, is described by OpenAPI, and decides nothing that settings, control and
// repository do not. It knows nothing of logins: who mounts it lets nobody in who may not act.
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

// Prefix is what the path of every operation begins with.
const Prefix = "/api/v1"

// Config is what an API works with.
type Config struct {
	Resolver settings.Resolver
	Runner   job.Runner
	Store    *repository.Store // where jobs are kept; whoever opened it closes it after API.Close

	// ConfigFile, Environ and System hold settings below those that a request has, as they
	// do below the flags of the command line: see settings.Sources.
	ConfigFile string
	Environ    []string
	System     string

	// Scripting is about scripts and the console, which may do what their user may.
	Scripting Scripting

	// DataFolder is where folders are that files of rows are written to, by their names; ""
	// where there is none.
	DataFolder string

	// Connections are those that are kept by name; nil keeps none. Version is Sledge's own.
	Connections *settings.Connections
	Version     string

	// Serving says how the API is served, and Users who may come in: whoever mounts it knows.
	// They may be nil.
	Serving func() Serving
	Users   func() (Users, error)

	// Who is the name of whoever asks, by a request's context; nil knows nobody. Note is told
	// what a request did, where its path does not say it, for a log of that; nil keeps none.
	Who  func(context.Context) string
	Note func(ctx context.Context, what string)

	// Say is told of faults, a line each; nil tells nobody.
	Say func(line string)
}

// API is an http.Handler. The jobs that it starts are its own, and go on when the request
// that started them has been answered.
type API struct {
	Config
	mux  *http.ServeMux
	huma huma.API
	text []byte // the description

	ctx      context.Context // of jobs and of streams
	end      context.CancelFunc
	streams  places
	watchers atomic.Int64 // streams of jobs that were started here
	clearing sync.WaitGroup
	scripts  *scripting.Runner
	files    datagen.Runner

	mu       sync.Mutex // held for moments only
	closing  bool       // nothing is started any more
	closed   bool       // nothing more is done that Close waits for
	wishes   int        // to end the program
	starting int        // jobs that are being entered into the repository
	running  map[job.ID]*control.Handle
	ended    []job.Job          // jobs whose end could not be recorded: the repository says that they go on
	viewed   map[job.ID]*viewed // that people look at

	sweeps      tasks.List[*sweep] // sequences of runs
	counters    tasks.List[*counting]
	counterKept time.Duration // for how long one goes on that nobody follows
}

// How much there may be at once.
const (
	mostRunning = 64  // jobs that were started here
	mostStreams = 256 // streams of events
	mostOfOne   = 64  // of them, that one user has open
	mostBody    = 256 << 10
)

// New returns an API, which Close ends.
func New(c Config) *API {
	a := &API{
		Config: c, mux: http.NewServeMux(), running: map[job.ID]*control.Handle{},
		viewed: map[job.ID]*viewed{}, counterKept: counterKept,
		streams: places{taken: map[string]int{}},
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
	config.CreateHooks = nil // which would add a member to every document
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", nameOf)
	config.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[meter.Summary](), reflect.TypeFor[meter.CodedSummary]()) // as it is encoded
	config.Transformers = []huma.Transformer{withoutValues}
	config.RejectUnknownQueryParameters = true
	a.huma = humago.NewWithPrefix(a.mux, Prefix, config)
	a.addCatalog()
	a.addJobs()
	a.addParts()
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

// Document returns the description of the API by OpenAPI 3.1, as JSON.
func Document() []byte {
	a := New(Config{})
	a.Close()
	return a.text
}

// describe makes the description, and serves it as JSON and as a page.
func (a *API) describe() {
	schemas := a.huma.OpenAPI().Components.Schemas.Map()
	for name, schema := range schemas {
		if strings.HasPrefix(name, "huma.") {
			delete(schemas, name) // Problem is in their place
		}
		for _, member := range schema.Properties {
			member.Nullable = member.Nullable && member.Type != huma.TypeArray // one without elements is empty or left out
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
			_, _ = w.Write(text) // whoever asked may have gone
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
			panic(http.ErrAbortHandler) // it could not be written to the end, for whoever has gone
		default:
			a.Say(fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, fault))
			problem(http.StatusInternalServerError, "this is a bug in Sledge: please report it, with what the server printed").write(w)
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
		problem(http.StatusNotFound, "there is nothing at this address: %s/docs lists the addresses", Prefix).write(w)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	problem(http.StatusMethodNotAllowed, "this address does not take %s, only %s", r.Method, strings.Join(allowed, ", ")).write(w)
}

// UnderWay names what was started here and goes on, and what Wait waits for: each job,
// script, console, and folder that files of rows are written to or read from.
func (a *API) UnderWay() (names []string) {
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

// Interrupt takes a wish to end the program: counters end, nothing is started from now on, and jobs that
// were are ended as by Ctrl-C, by which runs stop first, and are aborted by the next wish. So are
// scripts; one that ignores the second wish is killed.
func (a *API) Interrupt() {
	a.mu.Lock()
	a.closing = true
	a.wishes++
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

// Wait returns when no job, no script and no writing of files goes on that was started here, how each ended is
// recorded, and clients that follow one have been told, but for those that do not read.
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
	for begun := time.Now(); a.watchers.Load() > 0 && time.Since(begun) < lastWord; {
		time.Sleep(10 * time.Millisecond)
	}
}

// lastWord is how long clients have to read how a job ended, before the program ends.
const lastWord = 2 * time.Second

// Close aborts what still goes on, waits until that is recorded, and ends all streams.
func (a *API) Close() {
	a.mu.Lock()
	a.closing = true
	a.wishes += control.Patience // of which all but the first abort
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

// beside does something that Close waits for, unless that has waited already; then it returns
// false. The lock is held.
func (a *API) beside(do func()) bool {
	if a.closed {
		return false
	}
	a.clearing.Go(do)
	return true
}

// ending is the Problem of who asks for something that the end of the program leaves no time
// for.
func ending(what string) *Problem {
	return problem(http.StatusServiceUnavailable, "%s: the server is ending", what)
}

// handles lists the handles of the jobs that go on. The lock is held.
func (a *API) handles() (list []*control.Handle) {
	for _, h := range a.running {
		list = append(list, h)
	}
	return list
}

// handle returns what is held of a job that was started here and goes on, or nil.
func (a *API) handle(id job.ID) *control.Handle {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running[id]
}

// over notes that a job that was started here is over.
func (a *API) over(o control.Outcome) {
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

// headline is the headline of a run in one line, or "".
func (a *API) headline(j job.Job) string { return views.Headline(j, a.Resolver.Catalog) }

// add adds an operation. Every error that it returns becomes a Problem.
func add[I, O any](a *API, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(problemType, true, "")
	if o.Responses == nil {
		o.Responses = map[string]*huma.Response{}
	}
	o.Responses["default"] = &huma.Response{
		Description: "The request was refused, and why.",
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

// of is the answer of an operation: a document.
type of[T any] struct{ Body T }

// answer wraps the outcome of making a document.
func answer[T any](document T, err error) (*of[T], error) {
	if err != nil {
		return nil, err
	}
	return &of[T]{document}, nil
}
