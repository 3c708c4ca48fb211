// Package api is the HTTP API: it lists databases, workloads and recorded jobs, and starts, follows
// and ends jobs. It responds with the documents that commands print, is described by OpenAPI, and
// leaves decisions to the packages settings, control and repository. It does not know logins: the
// server that mounts it authorizes requests.
package api

import (
	"context"
	"fmt"
	"net/http"
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
	a.huma = humago.NewWithPrefix(a.mux, Prefix, configuration())
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
	allowed := a.methodsOf(r)
	switch {
	case slices.Contains(allowed, r.Method):
		a.mux.ServeHTTP(w, r)
	case len(allowed) == 0:
		problem(http.StatusNotFound, "this address does not exist: %s/docs lists the addresses", Prefix).write(w)
	default:
		list := strings.Join(allowed, ", ")
		w.Header().Set("Allow", list)
		problem(http.StatusMethodNotAllowed, "this address does not accept %s, only %s", r.Method, list).write(w)
	}
}

// methodsOf returns the methods that the address of a request accepts. If several paths match the
// address, only the one with the fewest parameters counts: /datagen/verify does not accept GET, although
// /datagen/{id} does.
func (a *API) methodsOf(r *http.Request) (methods []string) {
	best := ""
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		_, pattern := a.mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host})
		_, path, found := strings.Cut(pattern, " ")
		switch {
		case !found:
			continue
		case best == "" || strings.Count(path, "{") < strings.Count(best, "{"):
			best, methods = path, nil
		case path != best:
			continue
		}
		methods = append(methods, method)
	}
	return methods
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
