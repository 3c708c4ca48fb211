package site

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sledge/internal/cli/display"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/counter"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	jobflags.Flags // only those of the server and the accounts are flags of watch

	every, long  jobflags.Seconds
	allDatabases bool
	log          string
}

const watchHelp = `Watch reads the server's own count of transactions and shows their rate per minute, or the rate of
queries per hour. It counts the transactions of every program: Sledge, HammerDB, sysbench, pgbench
or an application. So you can compare the loads of different programs by the same measure. It
changes nothing, records no job, and needs no schema.

The rate counts the same as TPM in the result of a run. On PostgreSQL it counts commits and
rollbacks, including autocommits, in the database that --dbname names, or with --all-databases in
all of them, and includes the few queries of watch itself. On MariaDB and MySQL it counts COMMIT and
ROLLBACK statements of the whole server, including those in routines, but not autocommits. On SQL
Server it counts batches of the whole server: calls of procedures, and statements outside of
procedures. SQLite has no count.

With --workload tproch, or another workload of queries, the rate is queries per hour (QPH). On
MariaDB and MySQL it counts all statements of the whole server except those of watch. On PostgreSQL
it counts transactions as above: a query is one transaction, and each parallel worker of a query two
more.

If the workload's schema exists and is complete, watch also shows the workload's own count. For
TPROC-C that is new orders per minute (NOPM).

A rate is computed with the actual time between two readings. On a terminal watch redraws it in
place; elsewhere, and in the file of --log, each reading is a line. If the connection is lost, watch
prints a message and reconnects; no rate includes the time between. Ctrl-C ends watch with a summary
and exit code 0.`

// WatchCommand returns "sledge watch", which reads a server's count of transactions and runs nothing.
func WatchCommand(p *program.Program) *cobra.Command {
	f := watchFlags{Flags: jobflags.Flags{Plain: map[string]string{}}, every: jobflags.Seconds(10 * time.Second)}
	c := &cobra.Command{
		Use:   "watch --db NAME [flags]",
		Short: "Show a server's transactions per minute or queries per hour",
		Long:  watchHelp,
		Example: program.Examples(
			"sledge watch --db pg --host db1",
			"sledge watch --db pg --host db1 --dbname sbtest      # sysbench's database",
			"sledge watch --db maria --host db1 --interval 5 --for 10m --log tpm.log",
			"sledge watch --db maria --host db1 --workload tproch   # queries per hour",
			"sledge watch --db maria --host db1 --json | jq -r '[.at, .tpm] | @csv'",
		),
		GroupID: program.GroupResults,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return watchTransactions(ctx, p, f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	flags.Var(jobflags.NewPlainFlag("workload", "name", f.Plain), "workload", "workload that determines what is counted: "+strings.Join(jobflags.WorkloadNames(p.Resolver), ", ")+" (default "+p.Resolver.DefaultWorkload().Name+")")
	flags.Var(&f.every, "interval", "time between two readings, in seconds or with a unit such as 1m (default 10)")
	flags.Var(&f.long, "for", "end after this time, in seconds or with a unit such as 5m (default: until Ctrl-C)")
	flags.BoolVar(&f.allDatabases, "all-databases", false, "on PostgreSQL, count all databases of the server, as HammerDB does")
	flags.StringVar(&f.log, "log", "", "also append each reading to this `file` as a line")
	flags.BoolVar(&f.JSON, "json", false, "print each reading as one line of JSON")
	f.AddSources(flags)
	f.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return (flag.Group == option.Connection || flag.Group == option.Accounts) && flag.MeansSomethingTo(job.Check)
	})
	jobflags.CompleteSettings(p, c, &f.Flags)
	return c
}

// watchTransactions performs the command watch.
func watchTransactions(ctx context.Context, p *program.Program, f watchFlags) (err error) {
	every, long := time.Duration(f.every), time.Duration(f.long)
	if every < counter.ShortestInterval {
		return program.Usage("--interval: %v is less than %v, the time in which servers update their counts: choose a longer interval", every, counter.ShortestInterval)
	}
	if long > 0 && long < every {
		return program.Usage("--for: %v is less than the %v of --interval, so there would be no rate: watch for longer, or choose a shorter interval", long, every)
	}
	order, err := f.Resolve(p, job.Check) // the settings of a run are not needed
	if err != nil {
		return err
	}
	counts, err := counter.New(order.Plan)
	if err != nil {
		return err
	}
	counts.Every, counts.For, counts.AllDatabases = every, long, f.allDatabases
	w := &Watcher{Counter: counts, Program: p, json: f.JSON}
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return program.Usage("--log: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		w.log = file
	}
	if order, err = f.SignIn(ctx, p, order, settings.RefusalOfObserver); err != nil {
		return err
	}
	w.Plan = order.Plan
	return w.watch(ctx)
}

// Watcher shows readings of a server's count: on a terminal as a block that it redraws, otherwise
// as lines. Only one goroutine may use it.
type Watcher struct {
	*counter.Counter
	Program   *program.Program
	json      bool
	log       io.Writer // nil without --log
	logFailed error     // why the log is incomplete
	bar       display.Bar
	Rates     []float64 // of the last intervals
}

// watch reads until the time of --for is over, or until Ctrl-C.
func (w *Watcher) watch(ctx context.Context) error {
	p := w.Program
	if p.StdoutWidth != nil && !w.json {
		w.bar.Screen = jobflags.ScreenOf(p)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer p.Interrupts.Instead(func(int) { cancel() })()
	answered := jobflags.WaitForAnswer(p, w.Plan)
	say := func(line string) { w.above(func() { fmt.Fprintf(p.Stderr, "sledge: %s\n", report.Printable(line)) }) }
	err := w.Run(ctx, say, func(r engine.CounterReading) {
		answered()
		w.reading(r)
	})
	answered()
	w.bar.End()
	if w.NeedsDatabase(err) {
		return fmt.Errorf("%w: name the database to watch with --dbname, or watch --all-databases", err)
	}
	if err != nil {
		return err
	}
	if err := w.sum(); err != nil {
		return err
	}
	if w.logFailed != nil {
		return w.logFailed
	}
	if ctx.Err() == nil && !w.Lost.IsZero() {
		return job.WithExit(job.ExitConnect, fmt.Errorf("the server did not answer when the time was over: %w", w.Why))
	}
	return nil
}

// reading shows a reading.
func (w *Watcher) reading(r engine.CounterReading) {
	line, news := w.Add(r)
	if line.Rate != nil {
		w.Rates = append(w.Rates, *line.Rate)
		w.Rates = w.Rates[max(0, len(w.Rates)-display.Remembered):]
	}
	if news {
		w.line(line)
	}
	w.draw()
}

// line prints a line, and writes it to the log.
func (w *Watcher) line(line document.Watch) {
	text := w.spell(line)
	switch {
	case w.json:
		w.Program.Documented = true
		_, _ = io.WriteString(w.Program.Whole, text) // Run reports a failed write at its end
	case w.bar.Width == nil && line.Event != counter.Ended: // the table of sum follows
		fmt.Fprint(w.Program.Stdout, text)
	case line.Event == counter.Away || line.Event == counter.Back: // the block shows only the current state
		w.above(func() { fmt.Fprint(w.Program.Stderr, text) })
	}
	if w.log == nil || w.logFailed != nil {
		return
	}
	if _, err := io.WriteString(w.log, text); err != nil {
		w.logFailed = fmt.Errorf("write the log: %w", err)
		w.above(func() { fmt.Fprintf(w.Program.Stderr, "sledge: the log is incomplete from here on: %v\n", err) })
	}
}

// above calls print to print lines above the block.
func (w *Watcher) above(print func()) { w.bar.Above(print) }

// spell formats a line as text or JSON.
func (w *Watcher) spell(line document.Watch) string {
	if w.json {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(line) // cannot fail
		return b.String()
	}
	return w.Text(line)
}

// sum prints the summary at the end.
func (w *Watcher) sum() error {
	p := w.Program
	now := time.Now()
	w.line(w.End(now))
	if w.json {
		return nil
	}
	if w.Counted.Intervals == 0 {
		_, err := fmt.Fprintf(p.Stdout, "Ended: %s.\n", w.InAll())
		return err
	}
	times := ""
	if w.WasAway() {
		times = fmt.Sprintf("; the server did not answer for %s of it, which no rate includes", report.Spell(w.TimeAway(now)))
	}
	fmt.Fprintf(p.Stdout, "\nWatched %s for %s%s.\n\n", w.Target(), report.Spell(now.Sub(w.Began)), times)
	t := terminal.Table{Columns: []terminal.Column{{Head: "", Left: true}, {Head: "Min"}, {Head: "Mean"}, {Head: "Max"}, {Head: "Intervals", Rank: 1}}}
	row := func(what string, of counter.Tally) {
		if of.Intervals > 0 {
			t.Row(what, humanize.Comma(int64(of.Least)), humanize.Comma(int64(of.Mean())), humanize.Comma(int64(of.Most)), humanize.Comma(int64(of.Intervals)))
		}
	}
	row(w.Unit.Name, w.Counted)
	row(w.ProbedRate(), w.Probed)
	return p.PrintTable(t)
}

// draw draws the block.
func (w *Watcher) draw() {
	if w.bar.Width == nil {
		return
	}
	w.bar.Show(w.Drawing(time.Now))
}

// Drawing returns a function that draws the current readings in any width, with the clocks of the time
// of the call. Any goroutine may call it.
func (w *Watcher) Drawing(clockTime func() time.Time) func(width int) string {
	look := w.Program.StderrLook
	begun, last, every, long := w.Began, w.Last, w.Every, w.For
	rates, unit := append([]float64(nil), w.Rates...), w.Unit.Name
	what := look.Strong(report.Printable(w.Target())) + look.Faint("   every "+report.Spell(every))
	figure := ""
	if w.Counted.Intervals > 0 {
		figure = humanize.Comma(int64(w.Counted.Now))
	}
	lost, why := w.Lost, w.Why
	spread := look.Faint("min ") + rateOf(w.Counted, w.Counted.Least) + look.Faint("   mean ") + rateOf(w.Counted, w.Counted.Mean()) + look.Faint("   max ") + rateOf(w.Counted, w.Counted.Most)
	probed := ""
	if w.Probed.Intervals > 0 {
		probed = look.Strong(humanize.Comma(int64(w.Probed.Now))) + " " + w.ProbedRate() + look.Faint("   mean ") + humanize.Comma(int64(w.Probed.Mean()))
	}
	return func(width int) string {
		now := clockTime()
		passed := display.Clock(now.Sub(begun))
		if long > 0 {
			passed += " of " + display.Clock(long)
		}
		lines := []string{display.Beside(what, passed, width), ""}
		drawn := look.Figure
		if !lost.IsZero() {
			drawn = look.Faint // the rate is old
		}
		lines = append(lines, large(cmp.Or(figure, "-"), unit, width-2, drawn)...)
		lines = append(lines, "", "  "+spread)
		if probed != "" {
			lines = append(lines, "  "+probed)
		}
		switch silent := now.Sub(last); {
		case !lost.IsZero():
			lines = append(lines, "  "+look.Bad(terminal.Cut("no answer for "+display.Clock(now.Sub(lost))+": "+report.OneLine(why), width-2)))
		case figure == "" && silent < every+late:
			lines = append(lines, "  "+look.Faint("the first rate comes in "+display.Clock(max(0, every-silent))))
		case silent >= every+late:
			lines = append(lines, "  "+look.Doubtful("the server has not answered for "+display.Clock(silent-every)))
		default:
			lines = append(lines, "")
		}
		if len(rates) > 0 {
			lines = append(append(lines, ""), display.Graph(rates, width)...)
		}
		for i, line := range lines {
			if terminal.Width(line) > width { // plain text can be cut anywhere
				lines[i] = terminal.Cut(terminal.Plain(line), width)
			}
		}
		return strings.Join(lines, "\n")
	}
}

// late is the delay after which the display says that a reading is missing.
const late = 2 * time.Second

// rateOf formats a rate of a tally, or returns "-" if the tally is empty.
func rateOf(t counter.Tally, rate float64) string {
	if t.Intervals == 0 {
		return "-"
	}
	return humanize.Comma(int64(rate))
}

// segments are the digits of a seven-segment display, three lines high.
var segments = map[rune][3]string{
	'0': {" _ ", "| |", "|_|"},
	'1': {"   ", "  |", "  |"},
	'2': {" _ ", " _|", "|_ "},
	'3': {" _ ", " _|", " _|"},
	'4': {"   ", "|_|", "  |"},
	'5': {" _ ", "|_ ", " _|"},
	'6': {" _ ", "|_ ", "|_|"},
	'7': {" _ ", "  |", "  |"},
	'8': {" _ ", "|_|", "|_|"},
	'9': {" _ ", "|_|", " _|"},
	',': {" ", " ", ","},
	'-': {"   ", " _ ", "   "},
}

// large formats a number in large digits followed by its unit, or as one line if the width is too
// small.
func large(number, unit string, width int, look func(string) string) []string {
	var rows [3]string
	for _, digit := range number {
		for i, part := range segments[digit] {
			rows[i] += part + " "
		}
	}
	rows[2] += unit
	var lines []string
	for _, row := range rows {
		if terminal.Width(row) > width {
			return []string{"  " + look(number+" "+unit)}
		}
		lines = append(lines, "  "+look(strings.TrimRight(row, " ")))
	}
	return lines
}
