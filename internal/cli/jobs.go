package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/display"
	"sledge/internal/document"
	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
)

// archive holds what the commands about jobs share.
type archive struct {
	program    *Program
	repository string
	json       bool
}

func (p *Program) jobsCommand() *cobra.Command {
	a := &archive{program: p}
	var list listing
	c := &cobra.Command{
		Use:   "jobs",
		Short: "List jobs and show their results",
		Long: `Jobs shows the jobs in the job repository. Without a subcommand it lists them, newest first. To name
a job, give its ID, the first digits of the ID, or last.`,
		Example: examples(
			"sledge jobs",
			"sledge jobs show last",
			"sledge jobs result 6B02 --hammerdb",
			"sledge jobs export last --format csv --output run.csv",
			"sledge jobs profile",
			"sledge jobs compare 6B02 last",
			"sledge jobs report last",
			"sledge jobs import /opt/hammerdb/TMP/hammer.DB",
		),
		GroupID: groupResults,
		Args:    onlyCommands,
		RunE:    p.run(func(ctx context.Context, _ []string) error { return a.list(ctx, list) }),
	}
	flags := c.PersistentFlags()
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	flags.BoolVar(&a.json, "json", false, "print JSON")
	list.addTo(c, p)
	c.AddCommand(a.listCommand(), a.showCommand(), a.resultCommand(), a.timingCommand(), a.tpmCommand(), a.profileCommand(), a.bestCommand(), a.compareCommand(), a.planCommand(), a.labelCommand(), a.noteCommand(), a.reportCommand(), a.exportCommand(), a.importCommand(), a.deleteCommand())
	return c
}

// with opens the repository for reading, calls do, and closes it.
func (a *archive) with(do func(*repository.Store) error) error {
	store, err := a.program.readRepository(a.repository)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// withAny is with for a list, which is empty if there is no repository yet. A file that --repo names
// must exist, because its name may be mistyped.
func (a *archive) withAny(do func(*repository.Store) error) error {
	store, err := a.program.readRepository(a.repository)
	if job.ExitOf(err) == job.ExitMissing && a.repository == "" {
		store, err = repository.Open(":memory:")
	}
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// change opens the repository for writing, calls do, and closes it. It creates a missing repository.
func (a *archive) change(do func(*repository.Store) error) error {
	store, err := a.program.openRepository(a.repository)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// one completes a command that takes one job.
func (a *archive) one(c *cobra.Command, do func(context.Context, *repository.Store, job.Job) error) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s: say which job: its ID, the first digits of it, or last (sledge jobs lists them)", c.CommandPath())
		}
		return nil
	}
	c.ValidArgsFunction = a.program.completeJobs(&a.repository)
	c.RunE = a.program.run(func(ctx context.Context, args []string) error {
		return a.with(func(store *repository.Store) error {
			j, err := store.Get(ctx, job.ID(args[0]))
			if err != nil {
				return err
			}
			return do(ctx, store, j)
		})
	})
	return c
}

// listing holds the flags that filter a list of jobs.
type listing struct {
	action, database, workload, status string
	text                               string
	labels                             []string
	limit                              int
}

const listedJobs = 50

func (l *listing) addTo(c *cobra.Command, p *Program) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&l.database, "db", "", "only jobs on this database (`name`)")
	flags.StringVar(&l.workload, "workload", "", "only jobs with this workload (`name`)")
	flags.StringVar(&l.action, "action", "", "only jobs of this `kind`: "+strings.Join(words(actions), ", "))
	flags.StringVar(&l.status, "status", "", "only jobs with this `status`: "+strings.Join(words(job.Statuses), ", "))
	flags.StringArrayVar(&l.labels, "label", nil, "only jobs with this label: `name=value`, or name for any value; repeat to require several")
	flags.StringVar(&l.text, "text", "", "only jobs that contain all these `words`: in the ID, a label, the note, an option, the target and so on")
	flags.IntVar(&l.limit, "limit", listedJobs, "`number` of jobs to list; 0 for all")
	for name, completion := range map[string]complete{
		"db": fixed(p.databaseWords()...), "workload": fixed(p.workloadWords()...),
		"action": fixed(words(actions)...), "status": fixed(words(job.Statuses)...),
	} {
		if err := c.RegisterFlagCompletionFunc(name, completion); err != nil {
			panic(err) // the flag was not declared, or twice
		}
	}
}

var actions = []job.Action{job.Build, job.Check, job.Run, job.Delete}

func words[T ~string](list []T) (texts []string) {
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

// query turns the flags into a query. It refuses unknown values, which would list nothing.
func (l *listing) query(p *Program) (repository.Query, error) {
	q := repository.Query{Action: job.Action(l.action), Status: job.Status(l.status), Text: l.text, Limit: l.limit}
	if l.limit < 0 {
		return q, usage("--limit: %d is less than 0", l.limit)
	}
	for _, f := range []struct {
		name, text string
		known      []string
	}{{"action", l.action, words(actions)}, {"status", l.status, words(job.Statuses)}} {
		if f.text != "" && !slices.Contains(f.known, f.text) {
			return q, usage("--%s: %q is not one of %s%s", f.name, f.text, strings.Join(f.known, ", "), option.Suggest(f.text, f.known))
		}
	}
	for _, text := range l.labels {
		name, value, _ := strings.Cut(text, "=")
		if name == "" || q.Labels[name] != "" && value != "" {
			return q, usage("--label: %q: write name=value, each name once, or name for any value", text)
		}
		if q.Labels == nil {
			q.Labels = map[string]string{}
		}
		q.Labels[name] = value
	}
	if l.database != "" {
		d, err := p.Resolver.Known().Database(l.database)
		if err != nil {
			return q, usage("--db: %w", err)
		}
		q.Database = d.Name
	}
	if l.workload != "" {
		w, err := p.Resolver.Workload(l.workload)
		if err != nil {
			return q, usage("--workload: %w", err)
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
		Example: examples("sledge jobs list --db pg --action run", "sledge jobs list --label ticket=4711", "sledge jobs list --text 'before upgrade'", "sledge jobs list --status invalid --limit 5 --json"),
		Args:    noArguments,
		RunE:    a.program.run(func(ctx context.Context, _ []string) error { return a.list(ctx, l) }),
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
			return a.program.printJSON(document.NewJobs(jobs, a.program.headline))
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
	if width := a.program.width(); width > 0 && width < 120 {
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
		t.Row(string(j.ID), j.Begun.UTC().Format(time.DateTime), string(j.Spec.Action), j.Spec.Workload, report.Printable(where), report.Printable(size),
			users, took(j), p99, outcome(j, reasons))
	}
	return a.program.printTable(t)
}

// took formats the measured time of a run, or how long another job took.
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
	figure := figure(j.Result)
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

// figure returns the first headline figure of a result, or "".
func figure(r job.Result) string {
	if len(r.Metrics) == 0 {
		return ""
	}
	return report.Short(r.Metrics[0]) + " " + r.Metrics[0].Name
}

func (a *archive) showCommand() *cobra.Command {
	return a.one(&cobra.Command{
		Use:     "show ID",
		Short:   "Show everything about a job: settings, result, response and service times",
		Example: examples("sledge jobs show last", "sledge jobs show 6B02 --json"),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		sum, _, err := store.Summary(ctx, j.ID)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.printJSON(a.program.document(j, sum))
		}
		return report.Text(a.program.Stdout, j, sum, report.View{Width: a.program.width(), Look: a.program.StdoutLook, Whole: true, Line: a.program.headline(j)})
	})
}

// addHammerDB adds the flag that selects HammerDB's JSON.
func addHammerDB(flags *pflag.FlagSet, asked *bool) {
	flags.BoolVar(asked, "hammerdb", false, "print the JSON that HammerDB's jobs command prints")
}

func (a *archive) resultCommand() *cobra.Command {
	var hammerDB bool
	c := a.one(&cobra.Command{
		Use:     "result ID",
		Short:   "Show the headline figures of a run",
		Example: examples("sledge jobs result last", "sledge jobs result 6B02 --hammerdb"),
	}, func(_ context.Context, _ *repository.Store, j job.Job) error {
		switch {
		case hammerDB:
			return a.program.printJSON(views.Result(j, a.program.Resolver.Catalog))
		case a.json:
			return a.program.printJSON(document.NewHead(j, a.program.headline))
		}
		return a.printResult(j)
	})
	addHammerDB(c.Flags(), &hammerDB)
	return c
}

func (a *archive) printResult(j job.Job) error {
	out := a.program.Stdout
	fmt.Fprintf(out, "%s  %s  %s\n", j.ID, j.Begun.UTC().Format("2006-01-02 15:04:05 MST"), j.Status)
	if len(j.Result.Metrics) == 0 {
		_, err := fmt.Fprintf(out, "This %s has no figures.\n", j.Spec.Action)
		return err
	}
	fmt.Fprintf(out, "%s\n\n", report.VirtualUsers(report.Users(j)))
	t := terminal.Table{Columns: []terminal.Column{{}, {Left: true}, {Left: true, Wrapped: true}}, Bare: true}
	for _, m := range j.Result.Metrics {
		t.Row(exact(m), m.Name, m.Means)
	}
	return a.program.printTable(t)
}

// exact writes a figure with its fraction.
func exact(m job.Metric) string {
	if m.Unit == "" {
		return humanize.CommafWithDigits(m.Value, 2)
	}
	return report.Figure(m)
}

func (a *archive) tpmCommand() *cobra.Command {
	var hammerDB bool
	c := a.one(&cobra.Command{
		Use:     "tpm ID",
		Short:   "Show transactions per minute and response times over time",
		Example: examples("sledge jobs tpm last", "sledge jobs tpm last --json | jq '.points[] | select(.response.p99_ms > 100)'", "sledge jobs tpm 6B02 --hammerdb"),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		if hammerDB {
			counts, err := views.TCount(ctx, store, j, a.program.Resolver.Catalog)
			if err != nil {
				return err
			}
			return a.program.printJSON(counts)
		}
		d, err := document.NewTPM(ctx, store, j.ID, time.Time{}, time.Time{}, 0)
		if err != nil {
			return err
		}
		if a.json {
			return a.program.printJSON(d)
		}
		return a.printRates(d.Points)
	})
	addHammerDB(c.Flags(), &hammerDB)
	return c
}

func (a *archive) printRates(points []job.Rate) error {
	if len(points) == 0 {
		_, err := fmt.Fprintln(a.program.Stdout, "Nothing was measured in this job.")
		return err
	}
	t := terminal.Table{Columns: terminal.Heads("time (UTC)", "phase", "since", "server TPM", "client TPM", "p95 ms", "p99 ms", "max ms")}
	for _, r := range points {
		p95, p99, longest := "-", "-", "-"
		if l := r.Response; l != nil {
			p95, p99, longest = milliseconds(l.P95), milliseconds(l.P99), milliseconds(l.Max)
		}
		t.Row(r.At.UTC().Format(time.TimeOnly), string(r.Phase),
			display.Clock(time.Duration(r.Offset*float64(time.Second))), orDash(r.Server), orDash(r.Client), p95, p99, longest)
	}
	return a.program.printTable(t)
}

// milliseconds formats a time with two decimals and separated thousands.
func milliseconds(ms meter.Millis) string {
	return humanize.FormatFloat("#,###.##", float64(ms))
}

// orDash formats a number, or returns "-" if it is missing.
func orDash(v *float64) string {
	if v == nil {
		return "-"
	}
	return humanize.Comma(int64(*v))
}

func (a *archive) exportCommand() *cobra.Command {
	var format, output string
	var force bool
	c := a.one(&cobra.Command{
		Use:   "export ID",
		Short: "Write everything about a job to a file",
		Long: `Export writes a job as JSON, with every second, every line of output and the full distribution of
latencies; or as CSV, with a line for each second and kind of transaction. Without --output it
writes to standard output.`,
		Example: examples(
			"sledge jobs export last --output run.json",
			"sledge jobs export 6B02 --format csv --output run.csv",
		),
	}, func(ctx context.Context, store *repository.Store, j job.Job) error {
		if !slices.Contains(report.Formats, format) {
			return usage("--format: %q is not one of %s%s", format, strings.Join(report.Formats, ", "), option.Suggest(format, report.Formats))
		}
		if output == "" {
			return report.Export(ctx, a.program.whole, store, j.ID, format, a.program.words(), a.say)
		}
		return writeNew(output, force, func(file *os.File) error {
			return report.Export(ctx, file, store, j.ID, format, a.program.words(), a.say)
		})
	})
	c.Flags().StringVar(&format, "format", "json", "`format`: "+strings.Join(report.Formats, " or "))
	c.Flags().StringVar(&output, "output", "", "`file` to write")
	c.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	if err := c.RegisterFlagCompletionFunc("format", fixed(report.Formats...)); err != nil {
		panic(err) // the flag was not declared
	}
	return c
}

// say prints a message to standard error.
func (a *archive) say(line string) { fmt.Fprintln(a.program.Stderr, line) }

func (a *archive) deleteCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "delete ID...",
		Short:   "Remove jobs from the repository permanently",
		Long:    "Delete removes jobs from the repository permanently, with all their measurements.\nOn a terminal it asks first, unless you give --yes.",
		Example: examples("sledge jobs delete 6B02", "sledge jobs delete last --yes"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s: say which jobs: their IDs, the first digits of them, or last (sledge jobs lists them)", c.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: a.program.completeJobs(&a.repository),
		RunE: a.program.run(func(ctx context.Context, args []string) error {
			if err := a.with(func(*repository.Store) error { return nil }); err != nil {
				return err // change would create a missing repository
			}
			return a.change(func(store *repository.Store) error { return a.delete(ctx, store, args, yes) })
		}),
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// delete looks up all jobs before it deletes the first, so that a mistyped ID deletes nothing.
func (a *archive) delete(ctx context.Context, store *repository.Store, ids []string, yes bool) error {
	var found []job.ID
	for _, id := range ids {
		j, err := store.Get(ctx, job.ID(id))
		if err != nil {
			return err
		}
		if !slices.Contains(found, j.ID) {
			found = append(found, j.ID)
		}
	}
	if !yes {
		if err := a.program.confirm(fmt.Sprintf("Remove %s permanently?", strings.Join(words(found), ", "))); err != nil {
			return err
		}
	}
	deleted := []job.ID{}
	for _, id := range found {
		if err := store.Delete(ctx, id); err != nil {
			return err
		}
		deleted = append(deleted, id)
		if !a.json {
			fmt.Fprintf(a.program.Stdout, "Deleted %s\n", id)
		}
	}
	if a.json {
		if err := a.program.printJSON(document.Deletion{Schema: document.DeletedSchema, Deleted: deleted}); err != nil {
			return err
		}
	}
	a.giveBack(ctx, store)
	return nil
}

// giveBack returns the space of deleted jobs to the disk. If it fails or is interrupted, it prints
// a warning, because the jobs have been deleted already.
func (a *archive) giveBack(ctx context.Context, store *repository.Store) {
	defer a.program.whenSlow("sledge: returning free space to the disk; Ctrl-C leaves this for later")()
	if err := store.GiveBack(ctx); err != nil {
		fmt.Fprintf(a.program.Stderr, "sledge: warning: the jobs are deleted, but the file keeps its size until the next deletion: %v\n", err)
	}
}
