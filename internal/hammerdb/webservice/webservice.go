// Package webservice serves the addresses of HammerDB's web service. It returns JSON in HammerDB's
// shapes, and redirects addresses of pages to the pages of the web application. Some addresses
// returned JSON up to version 4.12 and pages since: clients that accept HTML, such as browsers, get
// the page, and others the JSON. The package does not check logins: the caller must admit only
// users who may look, and requests other than GET and HEAD only from users who may act.
//
// Actions that change something, for which HammerDB uses GET, require POST here. Otherwise a page
// of another site, a link, or a browser that prefetches pages could trigger them.
package webservice

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/hammerdb/parts"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/repository"
)

// Config configures a web service.
type Config struct {
	Catalog catalog.Catalog
	Store   *repository.Store
	Version string

	// Home returns the service's address.
	Home func() string

	// Logs is the folder that the console writes its logs to.
	Logs string

	// Quit ends the service after pending responses are finished.
	Quit func()

	// Note logs what a request did, if its path does not show it.
	Note func(ctx context.Context, what string)

	// Say prints a line about an internal error.
	Say func(line string)
}

// Paths are the paths that a Service serves.
var Paths = []string{"/jobs", "/pipelines", "/ci", "/env", "/help", "/quit"}

// Service is an http.Handler.
type Service struct {
	Config
	source parts.Source
}

// New returns a web service.
func New(c Config) *Service {
	return &Service{c, parts.Source{Store: c.Store, Catalog: c.Catalog}}
}

// Addresses of pages of the web application, relative to any of the Paths, because a proxy may add
// a prefix.
const (
	pageOfJobs = "./#/jobs"
	pageOfHelp = "./#/help"
)

func pageOfJob(id job.ID) string { return pageOfJobs + "/" + string(id) }

func pageOfProfile(number int) string { return "./#/profiles/" + strconv.Itoa(number) }

func pageOfComparison(base, compared int) string {
	return fmt.Sprintf("./#/profiles/compare?numbers=%d,%d", base, compared)
}

// reportOf returns the address of a job's report, a page of the API.
func reportOf(id job.ID) string { return "./api/v1/jobs/" + string(id) + "/report?view=true" }

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asks := r.URL.Query()
	changes := r.URL.Path == "/quit" || r.URL.Path == "/jobs" && (asks.Has("delete") || asks.Has("DELETE"))
	looks := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case changes && looks:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "%s", byPost(r))
		return
	case changes && r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "this takes POST, not %s", r.Method)
		return
	case !changes && !looks:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "this takes GET, not %s", r.Method)
		return
	}
	switch r.URL.Path {
	case "/jobs":
		s.jobs(w, r)
	case "/env":
		s.environment(w, r)
	case "/help":
		leadTo(w, pageOfHelp)
	case "/quit":
		answer(w, views.Success("Stopping HammerDB Web Service"))
		s.Quit()
	case "/pipelines", "/ci":
		s.withoutPipelines(w)
	}
}

// byPost returns the error for a GET request that requires POST.
func byPost(r *http.Request) string {
	what := "/quit"
	if r.URL.Path == "/jobs" {
		what = "/jobs?jobid=ID&delete"
	}
	return "GET changes nothing here: send POST " + what + " with the header Authorization: Bearer TOKEN, of a user who may act (sledge web user add NAME --role act --token makes one)"
}

// usage is the text for an invalid request.
const usage = "Usage: jobs?jobid=TEXT, jobs?jobid=TEXT&bm, jobs?jobid=TEXT&db, jobs?jobid=TEXT&dict, jobs?jobid=TEXT&status, jobs?jobid=TEXT&system, jobs?jobid=TEXT&timestamp, " +
	"jobs?jobid=TEXT&vu=INTEGER, each as JSON unless the request accepts text/html, and &raw=1 for the JSON of version 6; jobs?jobid=TEXT&resultdata, jobs?jobid=TEXT&tcountdata, jobs?jobid=TEXT&timingdata, jobs?jobid=TEXT&timing&vuid=INTEGER, " +
	"jobs?jobid=TEXT&metricsdata, jobs?jobid=TEXT&summaryjson, jobs?profileid=INTEGER&profiledata"

// jobs answers requests for /jobs.
func (s *Service) jobs(w http.ResponseWriter, r *http.Request) {
	asks := r.URL.Query()
	switch {
	case asks.Has("delete") || asks.Has("DELETE"):
		s.remove(w, r)
	case asks.Get("jobid") != "":
		s.job(w, r)
	case asks.Has("profileid"):
		s.profile(w, r)
	case asks.Get("cmd") == "profilediff":
		s.compare(w, r)
	case asks.Has("tailworkload"):
		s.tail(w)
	case asks.Has("cireset"):
		s.withoutPipelines(w)
	case len(asks) == 0 && acceptsPages(r):
		leadTo(w, pageOfJobs)
	case len(asks) == 0:
		s.show(w, r, s.ids)
	default:
		refuse(w, http.StatusBadRequest, usage)
	}
}

// acceptsPages reports whether a client accepts HTML, as browsers do.
func acceptsPages(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// ids lists the jobs.
func (s *Service) ids(ctx context.Context) (views.View, error) {
	all, err := s.Store.List(ctx, repository.Query{})
	return views.IDs(views.OldestFirst(all)), err
}

// charts are the parts of a job that HammerDB draws. The addresses of their data end in "data".
var charts = []string{"result", "tcount", "timing", "metrics"}

// job answers requests about one job.
func (s *Service) job(w http.ResponseWriter, r *http.Request) {
	j, found := s.find(w, r)
	if !found {
		return
	}
	asks := r.URL.Query()
	raw := asks.Has("raw") && asks.Get("raw") != "0"
	page := acceptsPages(r) && !raw
	vuid := asks.Get("vuid")
	if asks.Has("timing") && vuid == "" {
		vuid = asks.Get("vu")
	}
	for _, other := range []string{"jobid", "raw", "vuid"} {
		asks.Del(other)
	}
	for _, name := range slices.Sorted(maps.Keys(asks)) {
		chart, isData := strings.CutSuffix(name, "data")
		switch {
		case isData && slices.Contains(charts, chart):
			s.show(w, r, func(ctx context.Context) (views.View, error) { return s.source.Of(ctx, j, chart) })
		case name == "timing" && vuid != "":
			s.timingOf(w, r, j, vuid)
		case name == "summaryjson":
			s.show(w, r, func(ctx context.Context) (views.View, error) { return s.source.Artifact(ctx, j) })
		case name == "vu":
			s.outputOf(w, r, j, asks.Get("vu"), page)
		case name == "summary":
			leadTo(w, reportOf(j.ID))
		case name == "index", parts.Is(name) && page:
			leadTo(w, pageOfJob(j.ID))
		case slices.Contains(charts, name), parts.Is(name) && !raw:
			s.show(w, r, func(ctx context.Context) (views.View, error) { return s.source.Of(ctx, j, name) })
		case parts.Is(name):
			s.show(w, r, func(ctx context.Context) (views.View, error) {
				part, err := s.source.Of(ctx, j, name)
				return views.Section(j, name, part), err
			})
		default:
			continue
		}
		return
	}
	switch {
	case len(asks) > 0:
		refuse(w, http.StatusBadRequest, usage)
	case page:
		leadTo(w, pageOfJob(j.ID))
	default:
		s.show(w, r, func(ctx context.Context) (views.View, error) {
			view, _, err := s.source.Lines(ctx, j, -1)
			return view, err
		})
	}
}

// find finds the requested job, or responds that it does not exist. As in HammerDB, any text can be
// an ID.
func (s *Service) find(w http.ResponseWriter, r *http.Request) (job.Job, bool) {
	id := r.URL.Query().Get("jobid")
	j, err := s.Store.Get(r.Context(), job.ID(id))
	switch {
	case err == nil:
		return j, true
	case errors.Is(err, repository.ErrNotFound), job.ExitOf(err) == job.ExitUsage:
		const longest = 100 // an ID has 24 characters
		refuse(w, http.StatusNotFound, "Jobid %s does not exist", id[:min(len(id), longest)])
	default:
		s.fault(w, err)
	}
	return j, false
}

// show answers with a view.
func (s *Service) show(w http.ResponseWriter, r *http.Request, of func(context.Context) (views.View, error)) {
	view, err := of(r.Context())
	if err != nil {
		s.fault(w, err)
		return
	}
	answer(w, view)
}

// timingOf answers with the response times of one virtual user.
func (s *Service) timingOf(w http.ResponseWriter, r *http.Request, j job.Job, text string) {
	user, err := strconv.Atoi(text)
	if err != nil {
		refuse(w, http.StatusBadRequest, usage)
		return
	}
	view, known, err := s.source.TimingOf(r.Context(), j, user)
	switch {
	case err != nil:
		s.fault(w, err)
	case !known:
		refuse(w, http.StatusNotFound, "%s", views.NoTiming(j, user))
	default:
		answer(w, view)
	}
}

// outputOf answers with the output of one virtual user, or redirects to the page that shows it.
func (s *Service) outputOf(w http.ResponseWriter, r *http.Request, j job.Job, text string, page bool) {
	user, err := strconv.Atoi(text)
	if err != nil {
		refuse(w, http.StatusBadRequest, usage)
		return
	}
	view, found, err := s.source.Lines(r.Context(), j, max(user, 0))
	switch {
	case err != nil:
		s.fault(w, err)
	case !found || user < 0:
		refuse(w, http.StatusNotFound, "Jobid %s for virtual user %d does not exist", j.ID, user)
	case page:
		leadTo(w, pageOfJob(j.ID))
	default:
		answer(w, view)
	}
}

// remove deletes a job. It does not ask for confirmation, so it requires the whole ID.
func (s *Service) remove(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("jobid") == "" {
		refuse(w, http.StatusBadRequest, usage)
		return
	}
	j, found := s.find(w, r)
	switch {
	case !found:
		return
	case !strings.EqualFold(r.URL.Query().Get("jobid"), string(j.ID)):
		refuse(w, http.StatusBadRequest, "Cannot delete Jobid: give the whole ID, which is %s", j.ID)
		return
	case j.Status == job.Running:
		refuse(w, http.StatusConflict, "Cannot delete Jobid %s: it did not complete, and is running on %s as process %d", j.ID, j.Host, j.PID)
		return
	}
	if err := s.Store.Delete(r.Context(), j.ID); err != nil {
		s.fault(w, err)
		return
	}
	done := fmt.Sprintf("Deleted Jobid %s", j.ID)
	s.Note(r.Context(), done)
	answer(w, views.Success(done))
	// The job is deleted even if this fails.
	if err := s.Store.GiveBack(context.WithoutCancel(r.Context())); err != nil {
		s.Say(err.Error())
	}
}

// profile answers requests about a performance profile.
func (s *Service) profile(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.Atoi(r.URL.Query().Get("profileid"))
	if err != nil {
		refuse(w, http.StatusBadRequest, "Performance profile id should be an integer")
		return
	}
	runs, err := s.runsOf(r.Context(), number)
	switch {
	case err != nil:
		s.fault(w, err)
	case len(runs) == 0:
		refuse(w, http.StatusNotFound, "No jobs found with performance profile id of %d", number)
	case r.URL.Query().Has("profiledata") || !acceptsPages(r):
		answer(w, views.Results(runs, s.Catalog))
	default:
		leadTo(w, pageOfProfile(number))
	}
}

// runsOf returns the runs of a performance profile, the oldest first.
func (s *Service) runsOf(ctx context.Context, profile int) ([]job.Job, error) {
	if profile == 0 {
		return nil, nil // the query would return the jobs of all profiles
	}
	runs, err := s.Store.List(ctx, repository.Query{Profile: profile})
	return views.OldestFirst(runs), err
}

// compare redirects to the comparison of two performance profiles.
func (s *Service) compare(w http.ResponseWriter, r *http.Request) {
	base, baseErr := strconv.Atoi(r.URL.Query().Get("base_pid"))
	compared, comparedErr := strconv.Atoi(r.URL.Query().Get("new_pid"))
	switch {
	case baseErr != nil || comparedErr != nil:
		refuse(w, http.StatusBadRequest, "Please select one Base profile and one New profile to compare.")
	case base == compared:
		refuse(w, http.StatusBadRequest, "Base and New profiles must be different.")
	default:
		leadTo(w, pageOfComparison(base, compared))
	}
}

// tail answers with the end of the newest log of virtual users.
func (s *Service) tail(w http.ResponseWriter) {
	text, found, err := newestLog(s.Logs)
	if err != nil {
		s.fault(w, err)
		return
	}
	if !found {
		text = "No active workload log"
	}
	writeText(w, text)
}

// environment answers with the address and the version of the service.
func (s *Service) environment(w http.ResponseWriter, r *http.Request) {
	lines := []string{
		"Service Environment",
		"",
		"BASE_URL = " + s.Home(),
		"PATH_HEAD = env",
		"PATH_INFO = /env",
		"REQUEST_METHOD = " + r.Method,
		"SERVICE = Sledge " + s.Version,
		"SQLITE_DB = " + s.Store.Path(),
	}
	if info, err := os.Stat(s.Store.Path()); err == nil {
		lines = append(lines, "SQLITE_DB_BYTES = "+strconv.FormatInt(info.Size(), 10))
	}
	writeText(w, strings.Join(lines, "\n"))
}

// withoutPipelines answers that pipelines do not exist yet.
func (s *Service) withoutPipelines(w http.ResponseWriter) {
	refuse(w, http.StatusNotImplemented, "pipelines are not built into Sledge yet")
}

// fault answers with an internal error.
func (s *Service) fault(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) {
		return // the client has gone
	}
	s.Say(err.Error())
	refuse(w, http.StatusInternalServerError, "the job repository cannot be read or written: the program's output gives the reason")
}

// leadTo redirects to a page. It keeps the address relative, unlike http.Redirect.
func leadTo(w http.ResponseWriter, page string) {
	w.Header().Set("Location", page)
	w.WriteHeader(http.StatusFound)
}

// answer answers with a view.
func answer(w http.ResponseWriter, view views.View) { writeJSON(w, http.StatusOK, view) }

// refuse answers with an error in HammerDB's shape.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	writeJSON(w, status, views.Error(fmt.Sprintf(format, args...)))
}

func writeJSON(w http.ResponseWriter, status int, view views.View) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(view.JSON() + "\n")) // the client may have disconnected
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text + "\n")) // as above
}
