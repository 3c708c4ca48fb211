package results

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
)

// listing holds the flags that filter a list of jobs.
type listing struct {
	action, database, workload, status string
	text                               string
	labels                             []string
	limit                              int
}

const listedJobs = 50

func (l *listing) addTo(c *cobra.Command, p *program.Program) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&l.database, "db", "", "only jobs on this database (`name`)")
	flags.StringVar(&l.workload, "workload", "", "only jobs with this workload (`name`)")
	flags.StringVar(&l.action, "action", "", "only jobs of this `kind`: "+strings.Join(words(job.Actions), ", "))
	flags.StringVar(&l.status, "status", "", "only jobs with this `status`: "+strings.Join(words(job.Statuses), ", "))
	flags.StringArrayVar(&l.labels, "label", nil, "only jobs with this label: `name=value`, or name for any value; repeat to require several")
	flags.StringVar(&l.text, "text", "", "only jobs that contain all these `words`: in the ID, a label, the note, an option, the target and so on")
	flags.IntVar(&l.limit, "limit", listedJobs, "`number` of jobs to list; 0 for all")
	for name, completion := range map[string]jobflags.Complete{
		"db": jobflags.Fixed(jobflags.DatabaseWords(p)...), "workload": jobflags.Fixed(jobflags.WorkloadWords(p)...),
		"action": jobflags.Fixed(words(job.Actions)...), "status": jobflags.Fixed(words(job.Statuses)...),
	} {
		jobflags.CompleteFlag(p, c, name, completion)
	}
}

func words[T ~string](list []T) (texts []string) {
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

// query turns the flags into a query. It refuses unknown values, which would list nothing.
func (l *listing) query(p *program.Program) (repository.Query, error) {
	q := repository.Query{Action: job.Action(l.action), Status: job.Status(l.status), Text: l.text, Limit: l.limit}
	if l.limit < 0 {
		return q, program.Usage("--limit: %d is less than 0", l.limit)
	}
	for _, f := range []struct {
		name, text string
		known      []string
	}{{"action", l.action, words(job.Actions)}, {"status", l.status, words(job.Statuses)}} {
		if f.text != "" && !slices.Contains(f.known, f.text) {
			return q, program.Usage("--%s: %q is not one of %s%s", f.name, f.text, strings.Join(f.known, ", "), option.Suggest(f.text, f.known))
		}
	}
	for _, text := range l.labels {
		name, value, _ := strings.Cut(text, "=")
		if name == "" || q.Labels[name] != "" && value != "" {
			return q, program.Usage("--label: %q: write name=value, each name once, or name for any value", text)
		}
		if q.Labels == nil {
			q.Labels = map[string]string{}
		}
		q.Labels[name] = value
	}
	if l.database != "" {
		d, err := p.Resolver.Known().Database(l.database)
		if err != nil {
			return q, program.Usage("--db: %w", err)
		}
		q.Database = d.Name
	}
	if l.workload != "" {
		w, err := p.Resolver.Workload(l.workload)
		if err != nil {
			return q, program.Usage("--workload: %w", err)
		}
		q.Workload = w.Name
	}
	return q, nil
}

func (a *archive) listCommand() *cobra.Command {
	var l listing
	c := &cobra.Command{
		Use:     "list",
		Short:   "List jobs, newest first",
		Example: program.Examples("sledge jobs list --db pg --action run", "sledge jobs list --label ticket=4711", "sledge jobs list --text 'before upgrade'", "sledge jobs list --status invalid --limit 5 --json"),
		Args:    program.NoArguments,
		RunE:    a.program.Body(func(ctx context.Context, _ []string) error { return a.list(ctx, l) }),
	}
	l.addTo(c, a.program)
	return c
}

func (a *archive) list(ctx context.Context, l listing) error {
	q, err := l.query(a.program)
	if err != nil {
		return err
	}
	return a.withAny(func(store *repository.Store) error {
		jobs, err := store.List(ctx, q)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.PrintJSON(document.NewJobs(jobs, a.program.Headline))
		}
		return a.printList(jobs)
	})
}

func (a *archive) printList(jobs []job.Job) error {
	if len(jobs) == 0 {
		_, err := fmt.Fprintln(a.program.Stdout, "No jobs found.")
		return err
	}
	t := terminal.Table{Columns: []terminal.Column{
		{Head: "Job", Left: true, Short: report.ShortID},
		{Head: "Begun (UTC)", Left: true, Short: shortTime},
		{Head: "Action", Left: true},
		{Head: "Workload", Left: true, Rank: 6},
		{Head: "Where", Left: true, Rank: 1, Short: shortPlace},
		{Head: "Data", Left: true, Rank: 4},
		{Head: "Users", Rank: 3},
		{Head: "Took", Left: true, Rank: 5},
		{Head: "p99 ms", Rank: 2},
		{Head: "Result", Left: true, Wrapped: true},
	}}
	reasons := 100
	if width := a.program.Width(); width > 0 && width < 120 {
		reasons = 40
	}
	for _, j := range jobs {
		users, size, where, p99 := "", "", j.Spec.Database, ""
		if j.Spec.Action == job.Run {
			users = humanize.Comma(int64(report.Users(j)))
		}
		if f := j.Facts; f != nil {
			size = f.Size
			if f.Target != "" {
				where = place(f.Target)
			}
		}
		if r := j.Result; r.P99 > 0 {
			p99 = milliseconds(meter.Millis(1e3 * r.P99))
		}
		t.Row(string(j.ID), j.Begun.UTC().Format(time.DateTime), string(j.Spec.Action), j.Spec.Workloads(), report.Printable(where), report.Printable(size),
			users, took(j), p99, outcome(j, reasons))
	}
	return a.program.PrintTable(t)
}

// took formats the measured time of a run, or the duration of another job.
func took(j job.Job) string {
	switch {
	case j.Result.Elapsed > 0:
		return report.Spell(time.Duration(j.Result.Elapsed * float64(time.Second)).Round(100 * time.Millisecond))
	case j.Ended.IsZero() || j.Begun.IsZero():
		return ""
	}
	return report.Spell(j.Ended.Sub(j.Begun).Round(100 * time.Millisecond))
}

// outcome returns a job's first figure if it succeeded. Otherwise it returns the status, the figure
// if there is one, and the reason, of at most longest characters.
func outcome(j job.Job, longest int) string {
	figure := report.Headline(j)
	if j.Status == job.Succeeded {
		if figure == "" {
			figure = "succeeded"
		}
		return figure + paceMark(j.Result)
	}
	text := string(j.Status)
	if figure != "" {
		text += ", " + figure
	}
	text += paceMark(j.Result)
	if reason := strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(j.Reason), "\n", "; "), job.NotValid); reason != "" {
		if runes := []rune(reason); len(runes) > longest {
			reason = string(runes[:longest]) + " ..."
		}
		text += ": " + reason
	}
	return report.Printable(text)
}

// paceMark marks a run that was slower than its rate, or than its keying and thinking times allow.
func paceMark(r job.Result) string {
	if reached := r.PaceReached(); reached < job.EnoughPace {
		return fmt.Sprintf("  ! Pace %.0f %%", reached)
	}
	return ""
}

// place turns a target, "PostgreSQL tpcc on db1:5432", into an address and database: "db1:5432/tpcc".
func place(target string) string {
	what, address, found := strings.Cut(target, " on ")
	if !found {
		return target
	}
	return address + "/" + what[strings.LastIndex(what, " ")+1:]
}

// shortPlace shortens a place to its address.
func shortPlace(text string) string {
	if i := strings.LastIndexByte(text, '/'); i > 0 && strings.Contains(text[:i], ":") {
		return text[:i]
	}
	return text
}

// shortTime shortens a time in the format time.DateTime to its day and minute.
func shortTime(text string) string {
	if len(text) != len(time.DateTime) {
		return text
	}
	return text[len("2006-"):len("2006-01-02 15:04")]
}
