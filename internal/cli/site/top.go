package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/cli/screen"
	"sledge/internal/database"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/top"
)

// topFlags are the flags of top.
type topFlags struct {
	jobflags.Flags // only those of the server and the accounts are flags of top

	record, replay string
	long           jobflags.Seconds
	once, values   bool
}

// agentFlag is the flag of the option agents.
const agentFlag = "agent"

const topHelp = `Top shows live what the sessions of a server do, under any load: which are active, in which
statements, what they wait for, who blocks whom, and how busy the server's machine is. It samples the
active sessions five times a second. It changes nothing, records no job, and needs no schema.

The chart has the average active sessions of the last five minutes by class of waits. Keys choose a
table (1 to 5), sort (s), filter (/), pause (space) and go back in time (left and right); ? lists them.

--record FILE writes each second as a line of JSON; --replay FILE shows a recording on the same
screen. Statements are shown and recorded without their values, unless --show-values is given.

The machine is measured if the server is on this one, or by an agent there: --agent NAME, as for a run
(sledge agent --help). Of several agents, top takes the one at the server's address. Without rights to
see the sessions of other users, it says how to get them.

Top works on PostgreSQL, MariaDB, MySQL and Redis. No server has run its queries for SQL Server, Oracle
and Db2 yet.

Without a terminal, top prints a line each second. --once prints all tables once. If the
connection is lost, top says why and reconnects. Ctrl-C or q ends it with exit code 0.`

// TopCommand returns "sledge top", which shows what the sessions of a server do.
func TopCommand(p *program.Program) *cobra.Command {
	f := topFlags{Flags: jobflags.Flags{Plain: map[string]string{}}}
	c := &cobra.Command{
		Use:   "top --db NAME [flags]",
		Short: "Show live what the sessions of a server do",
		Long:  topHelp,
		Example: program.Examples(
			"sledge top --db pg --host db1",
			"sledge top --db maria --host db1 --user root --ask-password --agent db1",
			"sledge top --db pg --host db1 --record today.jsonl",
			"sledge top --replay today.jsonl",
			"sledge top --db pg --host db1 --once      # for a script",
		),
		GroupID: program.GroupResults,
		Args:    program.NoArguments,
		RunE:    p.Body(func(ctx context.Context, _ []string) error { return runTop(ctx, p, f) }),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	flags.StringVar(&f.record, "record", "", "also write each second to this new `file`, as a line of JSON")
	flags.StringVar(&f.replay, "replay", "", "show the recording in this `file`, without a server")
	flags.BoolVar(&f.once, "once", false, "print all tables after two seconds, or of the last second of a recording, and end")
	flags.Var(&f.long, "for", "end after this time, in seconds or with a unit such as 5m (default: until Ctrl-C)")
	flags.BoolVar(&f.values, "show-values", false, "show and record statements with their values, which may be private")
	f.AddSources(flags)
	f.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return flag.Name == agentFlag || (flag.Group == option.Connection || flag.Group == option.Accounts) && flag.MeansSomethingTo(job.Check)
	})
	program.PutInSection(flags, program.SectionMain, agentFlag)
	jobflags.CompleteSettings(p, c, &f.Flags)
	return c
}

// runTop performs the command top.
func runTop(ctx context.Context, p *program.Program, f topFlags) error {
	if f.long > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(f.long))
		defer cancel()
	}
	if f.replay != "" {
		return replayTop(ctx, p, f)
	}
	observing, err := f.observing(ctx, p)
	if err != nil {
		return err
	}
	t := &topper{Program: p, observing: observing, screen: screen.New(p.StdoutLook, time.Local, &top.History{})}
	t.screen.StartRecording = t.startRecording
	if f.record != "" {
		if t.screen.Recorder, err = top.NewRecorder(f.record); err != nil {
			if errors.Is(err, os.ErrExist) {
				err = fmt.Errorf("%q exists: name a new file, or remove it", f.record)
			}
			return program.Usage("--record: %w", err)
		}
	}
	ctx, t.cancel = context.WithCancel(ctx)
	defer t.cancel()
	switch in, out := terminalsOf(p); {
	case f.once:
		err = t.once(ctx)
	case out != nil:
		err = t.draw(ctx, in, out)
	default:
		err = t.lines(ctx)
	}
	return errors.Join(err, t.screen.Close())
}

// observing returns what reads the server, once it has accepted a login.
func (f *topFlags) observing(ctx context.Context, p *program.Program) (engine.Observing, error) {
	order, err := f.Resolve(p, job.Check) // the settings of a run are not needed
	if err != nil {
		return engine.Observing{}, err
	}
	if len(order.Plan.Server.Activity) == 0 || order.Plan.Server.Details == nil {
		return engine.Observing{}, program.Usage("--db: Sledge cannot list the active sessions of %s: sledge watch shows its transactions a minute", order.Plan.Database.Title)
	}
	o := engine.Observing{Values: f.values}
	saved, err := p.Agents()
	if err != nil {
		return o, err
	}
	if o.Agent, err = engine.AgentOf(saved, order.Plan, order.Origins["agents"] == "--"+agentFlag); err != nil {
		return o, err
	}
	if order, err = f.SignIn(ctx, p, order, settings.RefusalOfObserver); err != nil {
		return o, err
	}
	o.Job = order.Plan.Job
	return o, nil
}

// terminalsOf returns the terminals of the keys and of the screen. Both are nil unless both can be used.
func terminalsOf(p *program.Program) (in, out *os.File) {
	outlet, _ := p.Whole.(*program.Outlet)
	in, isFile := p.Stdin.(*os.File)
	if outlet == nil || !isFile || !p.StdinIsTerminal || p.StdoutWidth == nil || !p.StdoutLook.Redraws {
		return nil, nil
	}
	if out, isFile = outlet.To.(*os.File); !isFile {
		return nil, nil
	}
	return in, out
}

// topper shows readings as they come.
type topper struct {
	*program.Program
	observing engine.Observing
	screen    *screen.Screen
	cancel    func()
}

// startRecording makes a new file in the current folder.
func (t *topper) startRecording() (*top.Recorder, error) {
	name := "sledge-top-" + t.Now().Format("20060102-150405") + ".jsonl"
	if path, err := filepath.Abs(name); err == nil {
		name = path
	}
	return top.NewRecorder(name)
}

// once prints all tables, when there are two readings: rates need two.
func (t *topper) once(ctx context.Context) error {
	const enough = 2
	readings := 0
	err := t.observe(ctx, func(r top.Reading) {
		t.screen.Add(r)
		if readings++; readings == enough {
			t.cancel()
		}
	})
	if err == nil && readings > 0 {
		err = printWhole(t.Program, t.screen)
	}
	return err
}

// The width of tables in a pipe, and the rows of each.
const (
	widthInPipe = 160
	rowsOfTable = 20
)

func printWhole(p *program.Program, s *screen.Screen) error {
	width := p.Width()
	if width <= 0 {
		width = widthInPipe
	}
	_, err := io.WriteString(p.Whole, s.Whole(width, rowsOfTable))
	return err
}

// observe reads until ctx ends or Ctrl-C. Messages go to standard error.
func (t *topper) observe(ctx context.Context, each func(top.Reading)) error {
	defer t.Interrupts.Instead(func(int) { t.cancel() })()
	answered := t.WhenSlow("Waiting for an answer from %s", t.observing.Job.Target())
	defer answered()
	o := t.observing
	o.Say = func(line string) { fmt.Fprintf(t.Stderr, "sledge: %s\n", report.Printable(line)) }
	o.Each = func(r top.Reading) {
		answered()
		each(r)
	}
	return o.Run(ctx)
}

// lines prints a line for each reading.
func (t *topper) lines(ctx context.Context) error {
	return t.observe(ctx, func(r top.Reading) {
		t.screen.Add(r)
		fmt.Fprintln(t.Stdout, lineOf(r))
	})
}

// lineOf returns a reading as one line.
func lineOf(r top.Reading) string {
	parts := []string{r.At.Format(time.RFC3339)}
	if active, measured := r.Active(""); measured {
		parts = append(parts, fmt.Sprintf("active %.1f", active))
		for _, class := range database.WaitClasses {
			if n, _ := r.Active(class); n > 0 {
				parts = append(parts, fmt.Sprintf("%s %.1f", class, n))
			}
		}
	} else {
		parts = append(parts, "no samples: "+r.Gap)
	}
	if n := len(r.Blockers()); n > 0 {
		parts = append(parts, fmt.Sprintf("blockers %d", n))
	}
	if r.Connected != nil {
		parts = append(parts, fmt.Sprintf("connected %d", r.Connected.Now))
	}
	if used, measured := r.CPU(); measured {
		parts = append(parts, fmt.Sprintf("CPU %.0f %%", used))
	}
	return strings.Join(parts, "  ")
}

// draw shows the screen from the first reading on.
func (t *topper) draw(ctx context.Context, in, out *os.File) error {
	first, ended := make(chan top.Reading), make(chan error, 1)
	drawn := screen.NewProgram(ctx, t.screen, in, out, t.Environ)
	go func() {
		began := false
		ended <- t.observe(ctx, func(r top.Reading) {
			if began {
				drawn.Add(r)
				return
			}
			began = true
			select {
			case first <- r:
			case <-ctx.Done():
			}
		})
	}()
	select {
	case r := <-first:
		t.screen.Add(r)
	case err := <-ended:
		return err
	}
	err := drawn.Run()
	stopped := ctx.Err() != nil // by a signal, or by --for
	t.cancel()
	if failed := <-ended; failed != nil {
		return failed
	}
	if stopped {
		return nil
	}
	return err
}

// replayTop shows a recording.
func replayTop(ctx context.Context, p *program.Program, f topFlags) (err error) {
	for flag, given := range map[string]bool{"--db": f.Plain["db"] != "", "--url": f.URL != "", "--record": f.record != "", "--" + agentFlag: f.Plain[agentFlag] != "", "--show-values": f.values} {
		if given {
			return program.Usage("%s: a recording is replayed without a server: leave it out", flag)
		}
	}
	recording, err := top.OpenRecording(f.replay)
	if err != nil {
		return program.Usage("--replay: %s: %w", f.replay, err)
	}
	defer func() { err = errors.Join(err, recording.Close()) }()
	s := screen.New(p.StdoutLook, time.Local, &top.History{})
	s.Replay = recording
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer p.Interrupts.Instead(func(int) { cancel() })()
	in, out := terminalsOf(p)
	switch {
	case f.once:
		if err = s.Seek(recording.Len() - 1); err == nil {
			err = printWhole(p, s)
		}
		return err
	case out == nil:
		for i := 0; i < recording.Len() && ctx.Err() == nil; i++ {
			r, err := recording.Read(i)
			if err != nil {
				return err
			}
			fmt.Fprintln(p.Stdout, lineOf(r))
		}
		return nil
	}
	if err = s.Seek(0); err != nil {
		return err
	}
	if err = screen.NewProgram(ctx, s, in, out, p.Environ).Run(); ctx.Err() != nil {
		return nil
	}
	return err
}
