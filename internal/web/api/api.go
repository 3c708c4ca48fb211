// Package api is the HTTP API: it lists databases, workloads and recorded jobs, and starts, follows
// and ends jobs. It responds with the documents that commands print, is described by OpenAPI, and
// leaves decisions to the packages settings, control and repository. It does not know logins: the
// server that mounts it authorizes requests.
package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"sledge/internal/control"
	"sledge/internal/job"
	"sledge/internal/metrics"
	"sledge/internal/notice"
	"sledge/internal/repository"
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

	// Notices report the ends of jobs; nil reports none. The caller closes them after API.Close.
	Notices *notice.Notices

	// Metrics gets the metrics of the runs that are started here.
	Metrics *metrics.Registry

	// Serving describes the server that mounts the API, and Users its users. They may be nil.
	Serving func() Serving
	Users   func() (Users, error)

	// UserName returns the user of a request, by its context. Note adds details of a request to
	// the audit log. They may be nil.
	UserName func(context.Context) string
	Note     func(ctx context.Context, what string)

	// Projects returns the roles of the user of a request, by project; nil if the user may see all jobs. It
	// may be nil.
	Projects func(context.Context) map[string]string

	// Shares are the shared links; nil if the server has none.
	Shares Shares

	// Say prints a bug or a failure, one line each; it may be nil.
	Say func(line string)
}

// API is an http.Handler. The jobs that it starts continue after the response to the request that
// started them.
type API struct {
	*base
	*table
	jobs      *jobs
	views     *liveViews
	points    *points
	sequences *sequences
	chains    *chains
	schedules *schedules
	counters  *counters
	scripts   *scripts
	files     *files
}

// noun is a part of the API: it adds its operations to the table.
type noun interface{ add(t *table) }

// New returns an API, which Close ends.
func New(c Config) *API {
	b := newBase(c)
	j := &jobs{base: b, running: map[job.ID]*control.Handle{}}
	a := &API{
		base: b, table: newTable(), jobs: j,
		views: &liveViews{jobs: j, byJob: map[job.ID]*viewed{}}, points: newPoints(b),
		sequences: &sequences{jobs: j}, counters: &counters{base: b, kept: counterKept},
		scripts: newScripts(b), files: &files{base: b},
	}
	a.chains = &chains{sequences: a.sequences}
	a.schedules = newSchedules(a.chains)
	for _, n := range []noun{
		catalog{b},
		setups{b},
		connections{b},
		savedSetups{a.chains},
		a.jobs, a.views,
		records{j},
		notes{b},
		a.points,
		comparisons{b},
		profiles{b},
		experiments{b},
		reports{b},
		a.sequences, a.chains, a.schedules, a.counters, a.scripts, a.files,
		manualPages{},
		boards{b},
		sharedLinks{b},
		server{b},
		notices{b},
	} {
		n.add(a.table)
	}
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
	if roles := a.rolesOf(r.Context()); roles != nil {
		r = r.WithContext(repository.Visible(r.Context(), slices.Collect(maps.Keys(roles))))
	}
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

// Active names everything that Wait waits for: jobs, scripts and consoles that were started here,
// and folders whose files are being written or verified.
func (a *API) Active() []string {
	return slices.Concat(a.jobs.active(), a.scripts.active(), a.files.active())
}

// Interrupt handles a request to end the program. Counters end, and nothing is started any more. Jobs
// and scripts that were started here end as after Ctrl-C: a run stops at the first request and is
// aborted at the second. A script that ignores the second request is killed.
func (a *API) Interrupt() {
	running := a.jobs.shut(1)
	a.schedules.stop()
	a.sequences.list.End()
	a.chains.list.End()
	a.counters.end()
	for _, h := range running {
		h.Interrupt()
	}
	a.scripts.runner.Interrupt()
	a.files.runner.Interrupt()
}

// Wait waits until everything that Active names has ended and is recorded. Then it waits up to
// timeToRead for clients to read how the jobs ended.
func (a *API) Wait() {
	a.jobs.wait()
	a.scripts.runner.Wait(a.ctx)
	a.files.runner.Wait()
	for begun := time.Now(); a.watchers.Load() > 0 && time.Since(begun) < timeToRead; {
		time.Sleep(10 * time.Millisecond)
	}
}

// timeToRead is the time for clients to read how a job ended, before the program ends.
const timeToRead = 2 * time.Second

// Close aborts everything that is active, waits until it is recorded, and ends all streams.
func (a *API) Close() {
	running := a.jobs.shut(control.Patience) // jobs that are just starting are aborted
	a.schedules.stop()
	a.sequences.list.End()
	a.chains.list.End()
	a.counters.end()
	for _, h := range running {
		h.Abort()
	}
	a.scripts.runner.Close()
	a.files.runner.Interrupt()
	a.Wait()
	a.end()
	a.jobs.close()
	a.background.Wait()
}
