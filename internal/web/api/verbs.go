package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

const tagVerbs = "Settings and actions"

// Wanted is a request for a job.
type Wanted struct {
	Action   job.Action        `json:"action" enum:"build,check,run,delete"`
	Settings map[string]Value  `json:"settings" maxProperties:"500" doc:"Settings by the names of a configuration file: db, workload, users, seed, labels, and options."`
	Labels   map[string]string `json:"labels,omitempty" maxProperties:"100"`
	Note     string            `json:"note,omitempty"`
	Resume   bool              `json:"resume,omitempty" doc:"Continue a build that was interrupted."`
	Profile  int               `json:"profile,omitempty" minimum:"0" doc:"Number of the performance profile to add the run to."`
}

// Start is the request to start a job.
type Start struct {
	Wanted
	Confirm string `json:"confirm,omitempty" doc:"For a delete: the name of the schema, which is the member target of its settings."`
}

// Value is the value of a setting: text, a number, or true or false.
type Value string

// UnmarshalJSON keeps numbers as they are written.
func (v *Value) UnmarshalJSON(text []byte) error {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) > 0 && text[0] == '"':
		var plain string
		err := json.Unmarshal(text, &plain)
		*v = Value(plain)
		return err
	case len(text) == 0 || strings.ContainsAny(string(text[:1]), "[{n"):
		return errors.New("the value of a setting is text, a number, true or false")
	}
	*v = Value(text)
	return nil
}

// Schema implements huma.SchemaProvider.
func (Value) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		OneOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}},
		Description: "Text, a number, true or false.",
	}
}

// givenBy names the request in messages.
const givenBy = "the request"

// sources returns the sources of a request's settings.
func (b *base) sources(in Wanted) settings.Sources {
	s := settings.Sources{
		ConfigFile: b.ConfigFile, Environ: b.Environ, System: b.System, Connections: b.Connections,
		Given: map[string]string{}, GivenBy: givenBy, Asked: true, Guarded: !b.unrestricted(), Note: in.Note, Resume: in.Resume,
	}
	for name, value := range in.Settings {
		s.Given[name] = string(value)
	}
	for _, name := range slices.Sorted(maps.Keys(in.Labels)) {
		s.Labels = append(s.Labels, name+"="+in.Labels[name])
	}
	return s
}

// resolve resolves the settings of a job, or of several with different numbers of users. It finds all
// errors before anything is started.
func (b *base) resolve(in Wanted) (settings.Order, error) {
	s := b.sources(in)
	for _, label := range s.Labels {
		if _, _, err := job.ParseLabel(label); err != nil {
			return settings.Order{}, wrong("labels", "labels: %v", err)
		}
	}
	if err := job.CheckNote(in.Note); err != nil {
		return settings.Order{}, wrong("note", "note: %v", err)
	}
	switch {
	case s.Given["db"] == "" && s.Given["connection"] == "":
		return settings.Order{}, wrong("db", "db: choose a database (%s lists them)", Prefix+"/databases")
	case in.Resume && in.Action != job.Build:
		return settings.Order{}, wrong("resume", "resume: only a build can be continued: leave it out")
	case in.Profile != 0 && in.Action != job.Run:
		return settings.Order{}, wrong("profile", "profile: only a run can be part of a performance profile: leave it out")
	}
	order, err := b.Resolver.Resolve(in.Action, s)
	if err != nil {
		return order, b.refused(in.Settings, s, err)
	}
	order.Profile = in.Profile
	return order, nil
}

// refused turns an error about settings into a Problem.
func (b *base) refused(settings map[string]Value, s settings.Sources, err error) *Problem {
	p := problemOf(err)
	if before, _, found := strings.Cut(p.Detail, ":"); found && p.Option == "" {
		if _, given := settings[before]; given {
			p.Option = before
		}
	}
	p.Mistakes = b.mistakes(s, p)
	return p
}

// single returns an error if an order has several jobs.
func single(order settings.Order) error {
	if len(order.Counts) > 1 {
		return wrong("users", "users: a job has one number of virtual users: use %s/sequences for several runs, one after another", Prefix)
	}
	return nil
}

// started is the response to a request that starts a job.
type started struct {
	Location string `header:"Location" doc:"The address of the job, relative to this one."`
	Body     report.Document
}

func (js *jobs) add(t *table) {
	js.addEvents(t)
	start := huma.Operation{
		OperationID: "start-job", Method: http.MethodPost, Path: "/jobs", Tags: []string{tagVerbs}, DefaultStatus: http.StatusCreated,
		Summary:     "Start a job",
		Description: "The response comes when the job has begun. The job continues and is recorded like any other. A delete needs confirmation. The server holds passwords only while the job runs, and never returns or records them.",
	}
	start.Errors = ofStart
	add(t, start, func(ctx context.Context, in *of[Start]) (*started, error) { return js.start(ctx, in.Body) })
	js.addEnding(t, "stop", "Stop a run", "Virtual users complete their transactions, and the measurements are kept as a partial result. Jobs that are not runs can only be aborted.")
	js.addEnding(t, "abort", "Abort a job", "It aborts all transactions in flight.")
}

// Checked contains the resolved settings of a form, or its mistakes.
type Checked struct {
	Settings *document.Settings `json:"settings,omitempty" doc:"The settings that a job would have; missing if there are mistakes."`
	Mistakes []Mistake          `json:"mistakes" doc:"The mistakes, each with its place, such as body.settings.port. A mistake that belongs to no setting has another place, or none."`
}

// addCheck adds the operations that resolve settings: one that refuses mistakes, and one for a form, which returns
// them while the user types.
func (s setups) addCheck(t *table) {
	check := huma.Operation{
		OperationID: "check-settings", Method: http.MethodPost, Path: "/settings", Tags: []string{tagVerbs},
		Summary:     "Show the settings that a job would have, with their sources",
		Description: "It starts nothing and connects to nothing, and reports every error in the settings that starting the job would report.",
	}
	check.Errors = notFound
	add(t, check, func(_ context.Context, in *of[Wanted]) (*of[document.Settings], error) {
		order, err := s.resolve(in.Body)
		if err != nil {
			return nil, err
		}
		return answer(document.NewSettings(order), nil)
	})

	o := huma.Operation{
		OperationID: "check-form", Method: http.MethodPost, Path: "/settings/check", Tags: []string{tagVerbs},
		Summary:     "Show the settings that a job would have, or all mistakes in them",
		Description: "Like POST /settings, for a form while the user types: the response to mistakes has status 200.",
	}
	add(t, o, func(_ context.Context, in *of[Wanted]) (*of[Checked], error) {
		order, err := s.resolve(in.Body)
		if err == nil {
			settings := document.NewSettings(order)
			return answer(Checked{&settings, []Mistake{}}, nil)
		}
		p := problemOf(err)
		switch {
		case p.Status >= http.StatusInternalServerError:
			return nil, p
		case len(p.Mistakes) > 0:
			return answer(Checked{Mistakes: p.Mistakes}, nil)
		case p.Option != "":
			return answer(Checked{Mistakes: []Mistake{{whereSettings + p.Option, p.Detail}}}, nil)
		}
		return answer(Checked{Mistakes: []Mistake{{Message: p.Detail}}}, nil)
	})
}

// start starts a job.
func (js *jobs) start(ctx context.Context, in Start) (*started, error) {
	order, err := js.signedIn(ctx, in.Wanted)
	if err != nil {
		return nil, err
	}
	if target := order.Plan.Database.Options.Target(order.Plan.Connection); in.Action == job.Delete && in.Confirm != target {
		return nil, wrong("confirm", "confirm: this permanently removes the %s schema in %s %s: to do so, set confirm to %s",
			order.Plan.Workload.Title, order.Plan.Database.Title, target, target)
	}
	if err := single(order); err != nil {
		return nil, err
	}
	h, err := js.begin(order)
	if err != nil {
		return nil, err
	}
	j, err := js.Store.Get(js.ctx, h.ID())
	if err != nil {
		return nil, err
	}
	return &started{Location: "jobs/" + string(j.ID), Body: document.NewHead(j, js.headline)}, nil
}

// begin starts a job and holds its handle until it has ended. It may take half a minute if another
// program writes to the repository. It does not hold the lock while it waits.
func (js *jobs) begin(order settings.Order) (*control.Handle, error) {
	if err := js.admit(); err != nil {
		return nil, err
	}
	h, err := control.Start(js.ctx, js.Runner, order, control.With{Store: js.Store, Begun: func(h *control.Handle) {
		js.mu.Lock()
		defer js.mu.Unlock()
		js.starting--
		js.running[h.ID()] = h
		for range js.requests { // requests to end the program that came meanwhile
			h.Interrupt()
		}
	}})
	if err != nil {
		js.mu.Lock()
		js.starting--
		js.mu.Unlock()
		js.background.Done()
		return nil, err
	}
	js.export(h, order)
	go func() {
		defer js.background.Done()
		js.jobEnded(h.Wait())
	}()
	return h, nil
}

// admit counts a job that begins, or returns an error if there are too many. Close waits for the job
// from now on.
func (js *jobs) admit() error {
	js.mu.Lock()
	defer js.mu.Unlock()
	switch {
	case js.closing:
		return ending("jobs are not started any more")
	case len(js.running)+js.starting >= mostRunning:
		return problem(http.StatusTooManyRequests, "%d jobs that this server started are running, which is the limit: wait for one to end, or stop it", mostRunning)
	}
	js.starting++
	js.background.Add(1)
	return nil
}

// addEnding adds an operation that stops or aborts a job.
func (js *jobs) addEnding(t *table, verb, summary, description string) {
	o := huma.Operation{
		OperationID: verb + "-job", Method: http.MethodPost, Path: "/jobs/{id}/" + verb, Tags: []string{tagVerbs},
		DefaultStatus: http.StatusAccepted, Summary: summary, Description: description,
	}
	o.Errors = conflict
	add(t, o, func(ctx context.Context, in *OneJob) (*of[report.Document], error) {
		j, err := js.find(ctx, *in)
		if err != nil {
			return nil, err
		}
		h := js.handle(j.ID)
		switch {
		case j.Status != job.Running:
			return nil, problem(http.StatusConflict, "job %s has already ended", j.ID)
		case h == nil:
			return nil, problem(http.StatusConflict, "job %s was not started by this server, but on %s by process %d: end it there", j.ID, j.Host, j.PID)
		case verb == "abort":
			h.Abort()
		case j.Spec.Action != job.Run:
			return nil, problem(http.StatusConflict, "job %s is a %s, but only a run can be stopped: abort it instead", j.ID, j.Spec.Action)
		default:
			h.Stop()
		}
		return answer(document.NewHead(j, js.headline), nil)
	})
}

// mistakes returns all mistakes in the values of a request, because resolving stops at the first
// one. The result includes first if first names a setting.
func (b *base) mistakes(s settings.Sources, first *Problem) (list []Mistake) {
	for _, m := range b.Resolver.Mistakes(s) {
		list = append(list, Mistake{Where: whereSettings + m.Name, Message: m.Err.Error()})
	}
	if first.Option != "" && !slices.ContainsFunc(list, func(m Mistake) bool { return m.Where == whereSettings+first.Option }) {
		list = append(list, Mistake{Where: whereSettings + first.Option, Message: first.Detail})
	}
	return list
}

// whereSettings begins the place of a mistake in a setting.
const whereSettings = "body.settings."
