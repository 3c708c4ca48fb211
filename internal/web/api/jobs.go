package api

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
)

const tagJobs = "Jobs"

// OneJob is the path parameter that names a job.
type OneJob struct {
	ID string `path:"id" maxLength:"24" doc:"ID of the job, its first digits, or last."`
}

// find returns the job that the request names.
func (b *base) find(ctx context.Context, in OneJob) (job.Job, error) {
	return b.Store.Get(ctx, job.ID(in.ID))
}

// JobsPage is a part of the list of jobs.
type JobsPage struct {
	document.Jobs
	Next  job.ID `json:"next,omitempty" doc:"Set if there are more jobs: pass it as the parameter before to get them."`
	Total int    `json:"total,omitempty" doc:"The number of all jobs, in the first page of a list without filters."`
}

// Annotation changes the labels and the note of a job.
type Annotation struct {
	Labels map[string]string `json:"labels,omitempty" maxProperties:"100" doc:"Labels to add; each replaces a label of the same name."`
	Remove []string          `json:"remove,omitempty" maxItems:"100" doc:"Names of labels to remove."`
	Note   *string           `json:"note,omitempty" doc:"Replaces the note; an empty text removes it."`
}

// status is a job.Status as a filter.
type status string

// Schema implements huma.SchemaProvider.
func (status) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, one := range job.Statuses {
		s.Enum = append(s.Enum, string(one))
	}
	return s
}

// order is a repository.Sort as a parameter.
type order string

// Schema implements huma.SchemaProvider.
func (order) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Default: string(repository.Sorts[0])}
	for _, one := range repository.Sorts {
		s.Enum = append(s.Enum, string(one))
	}
	return s
}

// narrowed holds the filters of a list of jobs, and its order.
type narrowed struct {
	Database string    `query:"database" doc:"Any name of a database."`
	Workload string    `query:"workload" doc:"Any name of a workload."`
	Action   string    `query:"action" enum:"build,check,run,delete,ceiling"`
	Status   status    `query:"status"`
	Since    time.Time `query:"since" doc:"Only jobs that began then or later."`
	Until    time.Time `query:"until" doc:"Only jobs that began earlier."`
	Sort     order     `query:"sort" doc:"Order of the list: newest first, longest first, or highest first by the first figure. Different figures are sorted apart, because they are not comparable."`
	Text     string    `query:"text" maxLength:"400" doc:"Only jobs that contain all these words: in the ID, a label, the note, an option, the target and other facts."`
	Label    []string  `query:"label,explode" maxItems:"20" doc:"name=value, or name for any value. Several must all match."`
	Before   string    `query:"before" maxLength:"24" doc:"Only jobs after this one in the list: the member next of a response."`
	Limit    int       `query:"limit" minimum:"1" maximum:"500" default:"50"`
	Brief    bool      `query:"brief" doc:"Only what a table of jobs shows: a quarter of the bytes."`
}

// brief reduces the summary of a job to what a table of jobs shows.
func brief(d report.Document) report.Document {
	r := d.Result
	d.Result = job.Result{Status: r.Status, Reason: r.Reason, Cause: r.Cause, Extent: r.Extent, P99: r.P99, Demand: job.Demand{Punctuality: r.Punctuality}}
	if d.Groups == nil {
		r.Metrics = r.Metrics[:min(1, len(r.Metrics))]
	}
	for _, m := range r.Metrics {
		d.Metrics = append(d.Metrics, job.Metric{Name: m.Name, Value: m.Value, Unit: m.Unit})
	}
	return d
}

// Curves are the rates of several runs for small charts.
type Curves struct {
	Curves map[string][]float64 `json:"curves" doc:"Transactions per minute by the ID of the run. Each number is the mean of an equal part of the measured time. A job without measured seconds is missing."`
}

// curvePoints is the number of rates of a curve, one for three pixels of the pages.
const curvePoints = 32

// curve returns the rates of a run in at most curvePoints means.
func (r records) curve(ctx context.Context, id job.ID) ([]float64, error) {
	var rates []float64
	for second, err := range r.Store.Rates(ctx, id, time.Time{}, time.Time{}) {
		if err != nil {
			return nil, err
		}
		if rate := cmp.Or(second.Client, second.ServerTPM); rate != nil && second.Phase == job.Measure {
			rates = append(rates, *rate)
		}
	}
	points := min(curvePoints, len(rates))
	means := make([]float64, points)
	for i := range means {
		part := rates[i*len(rates)/points : (i+1)*len(rates)/points]
		for _, rate := range part {
			means[i] += rate
		}
		means[i] = math.Round(means[i] / float64(len(part)))
	}
	return means, nil
}

// records are the recorded jobs.
type records struct{ *jobs }

// filters reports whether a filter is set.
func (in *narrowed) filters() bool {
	return in.Action+in.Database+in.Workload+in.Text != "" || in.Status != "" || len(in.Label) > 0 || !in.Since.IsZero() || !in.Until.IsZero()
}

// query turns the filters into a query. It refuses unknown values, which would list nothing.
func (r records) query(in *narrowed) (repository.Query, error) {
	q := repository.Query{
		Action: job.Action(in.Action), Status: job.Status(in.Status), Since: in.Since, Until: in.Until, Sort: repository.Sort(in.Sort), Text: in.Text, Before: job.ID(in.Before), Limit: in.Limit + 1,
	}
	for _, text := range in.Label {
		name, value, _ := strings.Cut(text, "=")
		if _, twice := q.Labels[name]; name == "" || twice {
			return q, wrong("label", "label: write name=value, or name for any value, and each name only once")
		}
		if q.Labels == nil {
			q.Labels = map[string]string{}
		}
		q.Labels[name] = value
	}
	if in.Database != "" {
		d, err := r.Resolver.Known().Database(in.Database)
		if err != nil {
			return q, wrong("database", "%v", err)
		}
		q.Database = d.Name
	}
	if in.Workload != "" {
		w, err := r.Resolver.Workload(in.Workload)
		if err != nil {
			return q, wrong("workload", "%v", err)
		}
		q.Workload = w.Name
	}
	return q, nil
}

func (r records) add(t *table) {
	r.addParts(t)
	list := get("list-jobs", "/jobs", "List jobs", tagJobs)
	list.Description = "Each job is a summary; its own document has more. With status=running, the list contains the running jobs of this program and of others that use the same repository."
	list.Errors = notFound
	add(t, list, func(ctx context.Context, in *narrowed) (*of[JobsPage], error) {
		q, err := r.query(in)
		if err != nil {
			return nil, err
		}
		jobs, err := r.Store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		var page JobsPage
		if len(jobs) > in.Limit {
			jobs = jobs[:in.Limit]
			page.Next = jobs[in.Limit-1].ID
		}
		if in.Before == "" && !in.filters() {
			if page.Total, err = r.Store.Count(ctx); err != nil {
				return nil, err
			}
		}
		page.Jobs = document.NewJobs(jobs, r.headline)
		for i, d := range page.Jobs.Jobs {
			if in.Brief {
				page.Jobs.Jobs[i] = brief(d)
			}
		}
		return answer(page, nil)
	})
	curves := get("list-curves", "/curves", "Show the rates of several runs for small charts", tagJobs)
	add(t, curves, func(ctx context.Context, in *struct {
		ID []string `query:"id,explode" required:"true" minItems:"1" maxItems:"500" doc:"ID of a job. Jobs that do not exist are missing in the response."`
	},
	) (*of[Curves], error) {
		d := Curves{map[string][]float64{}}
		for _, id := range in.ID {
			rates, err := r.curve(ctx, job.ID(id))
			if err != nil && !errors.Is(err, repository.ErrNotFound) {
				return nil, err
			}
			if len(rates) > 0 {
				d.Curves[id] = rates
			}
		}
		return answer(d, nil)
	})
	add(t, get("show-job", "/jobs/{id}", "Show everything about a job, except its parts", tagJobs),
		func(ctx context.Context, in *OneJob) (*of[report.Document], error) {
			j, err := r.find(ctx, *in)
			if err != nil {
				return nil, err
			}
			sum, _, err := r.Store.Summary(ctx, j.ID)
			d := report.NewDocument(j, sum)
			d.Line = r.headline(j)
			return answer(d, err)
		})
	annotate := huma.Operation{
		OperationID: "annotate-job", Method: http.MethodPatch, Path: "/jobs/{id}", Tags: []string{tagJobs},
		Summary:     "Change the labels and the note of a job",
		Description: "Like sledge jobs label and sledge jobs note. Everything else stays as it was recorded.",
	}
	add(t, annotate, func(ctx context.Context, in *struct {
		OneJob
		Body Annotation
	},
	) (*of[report.Document], error) {
		if err := r.mayAnnotate(ctx, in.OneJob, in.Body); err != nil {
			return nil, err
		}
		j, err := r.Store.Annotate(ctx, job.ID(in.ID), repository.Annotation{Set: in.Body.Labels, Remove: in.Body.Remove, Note: in.Body.Note})
		return answer(document.NewHead(j, r.headline), err)
	})
	remove := huma.Operation{
		OperationID: "delete-job", Method: http.MethodDelete, Path: "/jobs/{id}", Tags: []string{tagJobs},
		Summary:     "Remove a job from the repository permanently",
		Description: "It needs the whole ID, and refuses a running job.",
	}
	remove.Errors = conflict
	add(t, remove, func(ctx context.Context, in *OneJob) (*of[document.Deletion], error) {
		j, err := r.find(ctx, *in)
		switch {
		case err != nil:
			return nil, err
		case !strings.EqualFold(string(j.ID), in.ID):
			return nil, wrong("", "to delete a job, give its whole ID: %s", j.ID)
		case j.Status == job.Running:
			return nil, problem(http.StatusConflict, "job %s is running on %s as process %d: stop it before you delete it", j.ID, j.Host, j.PID)
		}
		if err := r.Store.Delete(ctx, j.ID); err != nil {
			return nil, err
		}
		r.inBackground(func() { // the job is deleted even if this fails
			if err := r.Store.GiveBack(r.ctx); err != nil && r.ctx.Err() == nil {
				r.Say(err.Error())
			}
		})
		return answer(document.Deletion{Schema: document.DeletedSchema, Deleted: []job.ID{j.ID}}, nil)
	})
}

// mayAnnotate returns an error if a member would move a job to another project.
func (r records) mayAnnotate(ctx context.Context, in OneJob, to Annotation) error {
	if r.rolesOf(ctx) == nil {
		return nil
	}
	j, err := r.find(ctx, in)
	if err != nil {
		return err
	}
	project, given := to.Labels[job.LabelProject]
	if given && project != j.Spec.Labels[job.LabelProject] || slices.Contains(to.Remove, job.LabelProject) {
		return problem(http.StatusForbidden, "labels: the label %s says who sees the job: only users with a role on the whole server may change it", job.LabelProject)
	}
	return nil
}

// OutputPage is a part of the output of a job's virtual users.
type OutputPage struct {
	ID    job.ID                  `json:"id"`
	Lines []repository.OutputLine `json:"lines"`
	Next  int                     `json:"next,omitempty" doc:"Set if there are more lines: pass it as the parameter from to get them."`
}

// Failures are examples of failed transactions.
type Failures struct {
	ID       job.ID                     `json:"id"`
	Failures []repository.StoredFailure `json:"failures" doc:"The first few of each class."`
}

// Distributions are the whole histograms of a run.
type Distributions struct {
	ID         job.ID              `json:"id"`
	Histograms []report.Histograms `json:"histograms"`
}

// mostFailures limits the examples of failures. A run records fewer.
const mostFailures = 1000

// partOfRun selects points of a run.
type partOfRun struct {
	OneJob
	Points int       `query:"points" minimum:"16" maximum:"10000" default:"2000" doc:"Maximum number of points."`
	From   time.Time `query:"from" doc:"Only points after this time."`
	Until  time.Time `query:"until" doc:"Only points until this time."`
}

// addParts adds the operations that return parts of a job.
func (r records) addParts(t *table) {
	add(t, get("show-result", "/jobs/{id}/result", "Show the headline figures of a run", tagJobs),
		func(ctx context.Context, in *OneJob) (*of[report.Document], error) {
			j, err := r.find(ctx, *in)
			return answer(document.NewHead(j, r.headline), err)
		})
	series := get("show-series", "/jobs/{id}/series", "Show transactions per minute and response times over time", tagJobs)
	series.Description = "If there are more seconds than points, the response contains those with the highest and lowest rates and the longest response times. Every point is a measured second, not an average; server_tpm is the server's count, which may be late by server_delay_seconds."
	add(t, series, func(ctx context.Context, in *partOfRun) (*of[document.TPM], error) {
		j, err := r.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return answer(document.NewTPM(ctx, r.Store, r.Resolver.Catalog, j, in.From, in.Until, in.Points))
	})
	samples := get("show-samples", "/jobs/{id}/samples", "Show what was sampled beside a run, such as the use of the client's machine", tagJobs)
	samples.Description = "If a series has more samples than points, each interval keeps its lowest and its highest."
	add(t, samples, func(ctx context.Context, in *partOfRun) (*of[document.Samples], error) {
		j, err := r.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return answer(document.NewSamples(ctx, r.Store, j, in.From, in.Until, in.Points))
	})
	activity := get("show-activity", "/jobs/{id}/activity", "Show what the server's active sessions did over time", tagJobs)
	activity.Description = `From several samples a second: what sessions executed, in which transaction, and what they waited for. If there are more seconds than
points, the samples of several seconds are added up; from and until select a part of the run. The job may be running. Statements have question marks in place of their values.`
	add(t, activity, func(ctx context.Context, in *struct {
		OneJob
		Points int       `query:"points" minimum:"16" maximum:"480" default:"240" doc:"Maximum number of intervals."`
		From   time.Time `query:"from" doc:"Only seconds that ended after this time."`
		Until  time.Time `query:"until" doc:"Only seconds that ended until this time."`
	},
	) (*of[document.Activity], error) {
		j, err := r.find(ctx, in.OneJob)
		if err != nil {
			return nil, err
		}
		return answer(document.NewActivity(ctx, r.Store, j, in.From, in.Until, in.Points))
	})
	add(t, get("show-timing", "/jobs/{id}/timing", "Show the response times of a run by kind of transaction", tagJobs), r.timing)
	add(t, get("show-histograms", "/jobs/{id}/histograms", "Show the whole distributions of response and service times", tagJobs),
		func(ctx context.Context, in *OneJob) (*of[Distributions], error) {
			j, err := r.find(ctx, *in)
			if err != nil {
				return nil, err
			}
			sum, kinds, err := r.Store.Summary(ctx, j.ID)
			if err != nil {
				return nil, err
			}
			list, err := report.HistogramsOf(kinds, sum)
			return answer(Distributions{j.ID, list}, err)
		})
	add(t, get("show-plans", "/jobs/{id}/plans", "Show the plans of a run's queries or top statements", tagJobs),
		func(ctx context.Context, in *OneJob) (*of[report.Plans], error) {
			j, err := r.find(ctx, *in)
			if err != nil {
				return nil, err
			}
			plans, err := r.Store.Plans(ctx, j.ID)
			run := report.PlansOfRun{ID: j.ID, Explained: j.Result.Explained, Plans: plans}
			return answer(report.NewPlans([]report.PlansOfRun{run}, func(string) bool { return true }), err)
		})
	add(t, get("show-output", "/jobs/{id}/output", "Show the output of virtual users", tagJobs), r.output)
	add(t, get("show-failures", "/jobs/{id}/failures", "Show examples of failed transactions", tagJobs),
		func(ctx context.Context, in *OneJob) (*of[Failures], error) {
			j, err := r.find(ctx, *in)
			if err != nil {
				return nil, err
			}
			d := Failures{ID: j.ID, Failures: []repository.StoredFailure{}}
			for f, err := range r.Store.Failures(ctx, j.ID) {
				if err != nil {
					return nil, err
				}
				f.At = f.At.UTC()
				if d.Failures = append(d.Failures, f); len(d.Failures) == mostFailures {
					break
				}
			}
			return answer(d, nil)
		})
	export := get("export-job", "/jobs/{id}/export", "Download everything that was recorded of a job", tagJobs)
	export.Responses = map[string]*huma.Response{"200": {
		Description: "The job, as sledge jobs export writes it.",
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: t.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[document.Export](), true, "")},
			"text/csv":         {Schema: &huma.Schema{Type: huma.TypeString}},
		},
	}}
	add(t, export, r.export)
}

// timing returns the response times of a run.
func (r records) timing(ctx context.Context, in *struct {
	OneJob
	Phase   string `query:"phase" enum:"measure,ramp-up" default:"measure"`
	Users   bool   `query:"users" doc:"Include each virtual user, if the run had a time profile."`
	Seconds bool   `query:"seconds" doc:"Include each second."`
},
) (*of[document.Timing], error) {
	j, err := r.find(ctx, in.OneJob)
	if err != nil {
		return nil, err
	}
	phase := job.Phase(in.Phase)
	if j.Origin != "" {
		recorded, err := views.AllTimings(ctx, r.Store, j, r.Resolver.Catalog)
		return answer(document.Timing{
			Schema: document.TimingSchema, ID: j.ID, Elapsed: j.Result.Elapsed,
			Transactions: []report.Transaction{}, Recorded: recorded,
		}, err)
	}
	d, err := document.NewTiming(ctx, r.Store, j, phase)
	if err == nil && in.Users {
		d.Users, err = document.TimingOfUsers(ctx, r.Store, j, phase)
	}
	if err == nil && in.Seconds {
		d.Seconds, err = document.Seconds(ctx, r.Store, j, phase)
	}
	return answer(d, err)
}

// outputOf yields the lines of a job's virtual users.
func (b *base) outputOf(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error] {
	return views.Output(ctx, store, j, b.Resolver.Catalog)
}

// output returns a part of the lines of a job's virtual users.
func (r records) output(ctx context.Context, in *struct {
	OneJob
	User  int    `query:"user" minimum:"0" default:"0" doc:"Number of a virtual user; 0 for all."`
	Text  string `query:"text" maxLength:"400" doc:"Only lines that contain this text, ignoring case."`
	From  int    `query:"from" minimum:"0" default:"0" doc:"Number of lines to skip: the member next of a response."`
	Limit int    `query:"limit" minimum:"1" maximum:"5000" default:"500"`
},
) (*of[OutputPage], error) {
	j, err := r.find(ctx, in.OneJob)
	if err != nil {
		return nil, err
	}
	d := OutputPage{ID: j.ID, Lines: []repository.OutputLine{}}
	n, wanted := 0, strings.ToLower(in.Text)
	for line, err := range r.outputOf(ctx, r.Store, j) {
		if err != nil {
			return nil, err
		}
		if in.User != 0 && line.User != in.User || !strings.Contains(strings.ToLower(line.Line), wanted) {
			continue
		}
		if n++; n <= in.From {
			continue
		}
		if len(d.Lines) == in.Limit {
			d.Next = in.From + in.Limit
			break
		}
		line.At = line.At.UTC()
		d.Lines = append(d.Lines, line)
	}
	return answer(d, nil)
}

// export streams everything that was recorded of a job.
func (r records) export(ctx context.Context, in *struct {
	OneJob
	Format string `query:"format" enum:"json,csv" default:"json"`
},
) (*huma.StreamResponse, error) {
	j, err := r.find(ctx, in.OneJob)
	if err != nil {
		return nil, err
	}
	if in.Format == "csv" && j.Origin != "" {
		return nil, wrong("format", "job %s was recorded by %s, which does not record seconds: export it as json", j.ID, j.Origin)
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		kind := "application/json"
		if in.Format == "csv" {
			kind = "text/csv; charset=utf-8"
		}
		c.SetHeader("Content-Type", kind)
		c.SetHeader("Content-Disposition", `attachment; filename="sledge-`+string(j.ID)+"."+in.Format+`"`)
		words := report.Words{Headline: r.headline, Output: r.outputOf}
		w := bufio.NewWriter(c.BodyWriter())
		err := report.Export(ctx, w, r.Store, j.ID, in.Format, words, func(string) {})
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			panic(http.ErrAbortHandler) // shows the client that the file is incomplete
		}
	}}, nil
}
