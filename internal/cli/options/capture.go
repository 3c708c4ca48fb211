package options

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/capture"
	"sledge/internal/cli/display"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/terminal"
	"sledge/internal/workload/script/files"
)

// captureFlags are the flags of capture.
type captureFlags struct {
	jobflags.Flags // only those of the server and the accounts are flags of capture

	long       jobflags.Seconds
	sinceReset bool
	slowLog    string
}

const captureHelp = `Capture makes a folder with a draft of a workload of your own: the statements that an application sends
to a database, as often as it sends them. It reads the server's statistics of statements for a minute
(--for), while the application works. Ctrl-C ends that early, and the draft has what was seen.

Each statement becomes a transaction whose weight is the number of its calls. Parameters are drawn from
the columns that they are compared with or stored in. The folder has no value of a row or of a
statement. What is a guess is marked in workload.toml.

It works on PostgreSQL with pg_stat_statements, on MySQL, and on MariaDB with performance_schema, with an
account that sees the statements of all users. --slow-log takes the statements from a log of MySQL or
MariaDB instead, and from the server only the columns of its tables. It executes none of the statements, and changes nothing.
Run the draft on a copy of the database: its statements change rows.`

// CaptureCommand returns "sledge capture", which drafts a workload from a server's statistics.
func CaptureCommand(p *program.Program) *cobra.Command {
	f := captureFlags{Flags: jobflags.Flags{Plain: map[string]string{}}, long: jobflags.Seconds(time.Minute)}
	c := &cobra.Command{
		Use:   "capture folder --db NAME [flags]",
		Short: "Draft a workload from the statements of an application",
		Long:  captureHelp,
		Example: program.Examples(
			"sledge capture ./app --db pg --host db1 --dbname app --user postgres",
			"sledge capture ./app --db mysql --dbname app --user root --for 10m",
			"sledge capture ./app --db pg --dbname app --since-reset    # all calls so far",
			"sledge capture ./app --db mysql --dbname app --slow-log slow.log",
			"sledge run --db pg --host copy1 --dbname app --workload ./app --users 16",
		),
		GroupID: program.GroupOthers,
		Args:    cobra.ExactArgs(1),
	}
	flags := c.Flags()
	c.RunE = p.Body(func(ctx context.Context, args []string) error {
		given := ""
		flags.Visit(func(flag *pflag.Flag) {
			if flag.Name != "for" && flag.Name != "since-reset" && flag.Name != "slow-log" {
				given += " --" + flag.Name + " " + settings.ShellWord(f.Plain[flag.Name])
			}
		})
		return runCapture(ctx, p, f, args[0], given)
	})
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	flags.Var(&f.long, "for", "count the calls for this time, in seconds or with a unit such as 5m (default 1m)")
	flags.BoolVar(&f.sinceReset, "since-reset", false, "take all calls since the server's statistics were reset, at once")
	flags.StringVar(&f.slowLog, "slow-log", "", "take the calls from this `file`, a slow query log of MySQL or MariaDB")
	c.MarkFlagsMutuallyExclusive("for", "since-reset", "slow-log")
	f.AddSources(flags)
	f.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return (flag.Group == option.Connection || flag.Group == option.Accounts) && flag.MeansSomethingTo(job.Check)
	})
	jobflags.CompleteSettings(p, c, &f.Flags)
	return c
}

// runCapture performs the command capture. given are the flags of the server and the accounts, for the next command.
func runCapture(ctx context.Context, p *program.Program, f captureFlags, folder, given string) error {
	long := time.Duration(f.long)
	if f.sinceReset {
		long = 0
	} else if long < time.Second {
		return program.Usage("--for: %v is too short to count calls: choose a second or more", long)
	}
	name, err := files.NameOf(folder)
	if err != nil {
		return program.Usage("%w", err)
	}
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return program.Usage("%s exists: name a new folder, or remove it", folder)
	}
	order, err := f.Resolve(p, job.Check) // the settings of a run are not needed
	if err != nil {
		return err
	}
	logged, err := f.logged(p, order)
	if err != nil {
		return err
	}
	if order, err = f.SignIn(ctx, p, order, settings.RefusalOf); err != nil {
		return err
	}
	bar := display.Bar{Screen: jobflags.ScreenOf(p)}
	stop := make(chan struct{})
	var once sync.Once
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer p.Interrupts.Instead(func(count int) {
		once.Do(func() { close(stop) })
		if count > 1 {
			cancel()
		}
	})()
	taking := capture.Taking{
		Job: order.Plan.Job, For: long, End: stop, Logged: logged,
		Say: func(line string) { fmt.Fprintf(p.Stderr, "sledge: %s\n", report.Printable(line)) },
		Each: func(calls float64, passed time.Duration) {
			bar.Show(func(width int) string {
				return terminal.Cut(fmt.Sprintf("Capturing %s of %s: %s calls", display.Clock(passed), display.Clock(long), humanize.Comma(int64(calls))), width)
			})
		},
	}
	draft, err := taking.Run(ctx)
	bar.End()
	if err != nil && ctx.Err() != nil {
		return job.WithExit(job.ExitStopped, errors.New("stopped, nothing was written"))
	}
	if err != nil {
		return err
	}
	if len(draft.Kept) == 0 {
		return fmt.Errorf("nothing was written: %s", nothing(draft))
	}
	path := asFolder(folder)
	if err := writeDraft(folder, name, draft); err != nil {
		return err
	}
	if err := showDraft(p, path, draft); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "\nIts statements change rows: run it on a copy of the database.\n\nNext\n  sledge workload check %s\n  sledge run%s --workload %[1]s\n", path, given)
	return err
}

// logged reads the slow log, if one was given.
func (f captureFlags) logged(p *program.Program, order settings.Order) ([]capture.Statement, error) {
	if f.slowLog == "" {
		return nil, nil
	}
	if !capture.ReadsSlowLogs(order.Plan.Job) {
		return nil, program.Usage("--slow-log: Sledge reads logs of MySQL and MariaDB, not of %s: leave it out", order.Plan.Database.Title)
	}
	file, err := os.Open(f.slowLog)
	if err != nil {
		return nil, program.Usage("--slow-log: %w", err)
	}
	defer file.Close()
	defer p.WhenSlow("Reading %s", report.Printable(f.slowLog))()
	list, err := capture.ReadSlowLog(file, order.Plan.Database.Options.SchemaName(order.Plan.Connection).Name)
	if errors.Is(err, capture.ErrNoSlowLog) {
		return nil, program.Usage("--slow-log: %s: %w", f.slowLog, err)
	}
	return list, err
}

// nothing says why a draft is empty.
func nothing(d capture.Draft) string {
	if len(d.LeftOut) > 0 {
		return fmt.Sprintf("none of %s could be drafted; the most frequent: %s: %s", counted(len(d.LeftOut), "statement"), report.Printable(d.LeftOut[0].Text), report.Printable(d.LeftOut[0].Why))
	}
	return "the server counted no statements in this database: capture while the application works, longer (--for), or take all calls so far (--since-reset)"
}

// writeDraft writes the files of the workload with that name into a new folder.
func writeDraft(folder, name string, d capture.Draft) error {
	if _, err := files.New(name, d.Files); err != nil {
		return fmt.Errorf("the draft has a mistake of Sledge's: %w", err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return program.Usage("%w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(d.Files[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// showDraft prints what the draft has and has not.
func showDraft(p *program.Program, path string, d capture.Draft) error {
	const shown = 10
	kept, leftOut := d.Calls()
	fmt.Fprintf(p.Stdout, "Made %s from %s of %s.\n\n", path, plural(kept, "call"), counted(len(d.Kept), "statement"))
	t := terminal.Table{Columns: []terminal.Column{{Head: "Transaction", Left: true}, {Head: "share"}, {Head: "calls"}, {Head: "rows each", Rank: 2}, {Head: "ms each", Rank: 1}}}
	for _, k := range d.Kept[:min(shown, len(d.Kept))] {
		t.Row(k.Name, percent(k.Calls, kept), humanize.Comma(int64(k.Calls)), fmt.Sprintf("%.1f", k.Rows/k.Calls), fmt.Sprintf("%.3f", k.Milliseconds/k.Calls))
	}
	if err := p.PrintTable(t); err != nil {
		return err
	}
	if more := len(d.Kept) - shown; more > 0 {
		fmt.Fprintf(p.Stdout, "and %d more\n", more)
	}
	if len(d.LeftOut) > 0 {
		fmt.Fprintf(p.Stdout, "\nLeft out: %s with %s of the calls\n\n", counted(len(d.LeftOut), "statement"), percent(leftOut, kept+leftOut))
		t := terminal.Table{Columns: []terminal.Column{{Head: "Calls"}, {Head: "statement", Left: true, Wrapped: true}, {Head: "why", Left: true, Wrapped: true}}}
		for _, l := range d.LeftOut[:min(shown, len(d.LeftOut))] {
			t.Row(humanize.Comma(int64(l.Calls)), terminal.Cut(report.Printable(l.Text), 60), report.Printable(l.Why))
		}
		if err := p.PrintTable(t); err != nil {
			return err
		}
	}
	if d.Control > 0 {
		fmt.Fprintf(p.Stdout, "\nNot drafted: %s of BEGIN, COMMIT and SET, or about the server itself.\n", plural(d.Control, "call"))
	}
	if d.Guesses > 0 {
		fmt.Fprintf(p.Stdout, "\nThe values of %s are guesses: look for \"a guess\" in %s.\n", counted(d.Guesses, "parameter"), filepath.Join(path, "workload.toml"))
	}
	return nil
}

func percent(part, all float64) string { return fmt.Sprintf("%.3g %%", 100*part/all) }

// plural formats a large number of things.
func plural(n float64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return humanize.Comma(int64(n)) + " " + thing + "s"
}
