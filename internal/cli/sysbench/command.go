// Package sysbench contains the command that takes the place of sysbench.
package sysbench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"sledge/internal/cli/program"
	"sledge/internal/control"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/sysbench"
	"sledge/internal/workload/script/files"
	lua "sledge/internal/workload/script/sysbench"
)

// help is the description of the command.
const help = `Sysbench has the options, scripts and reports of sysbench, the load tester by scripts in Lua, so that
programs that start sysbench and read its output keep working. Called through a link named sysbench,
sledge takes the same arguments.

A test is a workload by its name, such as oltp_read_write, or a script in Lua. Its own options are listed by
the command help: sledge sysbench oltp_read_write help. Scripts load only files beside them, and start no
programs, unless --allow-unsafe allows it.

Every run is also a job of Sledge, with histograms, samples of the server and the reason of its figures: its
number is on standard error, and sledge jobs show prints it.

As with sysbench, the exit code is 0, or 1 after any error.`

// Command returns "sledge sysbench".
func Command(p *program.Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "sysbench [OPTION]... [TEST] [COMMAND]",
		Short: "sysbench's options, scripts and reports",
		Long:  help,
		Example: program.Examples(
			"sledge sysbench oltp_read_write --tables=4 --db-driver=pgsql prepare",
			"sledge sysbench oltp_read_write --tables=4 --db-driver=pgsql \\\n    --threads=8 --time=60 --report-interval=5 run",
			"sledge sysbench ./orders.lua --threads=8 --mysql-db=shop run",
			"sledge sysbench oltp_read_write help",
		),
		GroupID:            program.GroupOthers,
		DisableFlagParsing: true,
	}
	c.RunE = p.Body(func(ctx context.Context, args []string) error {
		err := run(ctx, p, args, c.Help)
		if failed, is := errors.AsType[*fatalError](err); is {
			fmt.Fprintf(p.Stdout, "FATAL: %v\n", failed)
			if exit := job.ExitOf(err); exit != job.ExitStopped && exit != job.ExitInternal {
				err = errors.New("the test has failed: its output says why")
			}
		}
		if exit := job.ExitOf(err); err == nil || exit == job.ExitStopped || exit == job.ExitInternal {
			return err
		}
		const exitWrong job.Exit = 1 // sysbench has no other; those of other commands have other meanings
		return job.WithExit(exitWrong, errors.New(err.Error()))
	})
	c.Flags().AddFlagSet(sysbench.Flags())
	return c
}

// fatalError is an error of a script or of the database, which sysbench prints with its other output.
type fatalError struct{ error }

// Unwrap returns the error.
func (f *fatalError) Unwrap() error { return f.error }

// run does what the arguments of sysbench say.
func run(ctx context.Context, p *program.Program, args []string, showHelp func() error) error {
	a, err := sysbench.Read(args)
	switch {
	case err != nil:
		return err
	case a.Help && a.Test == "":
		return showHelp()
	case a.ShowVersion:
		fmt.Fprintln(p.Stdout, a.VersionLine(p.Version))
		return nil
	}
	script, err := a.Script()
	if err != nil {
		return err
	}
	t := test{Program: p, Arguments: &a, script: script, seed: uint32(a.Number("rand_seed"))}
	if t.seed == 0 {
		t.seed = rand.Uint32()
	}
	return t.do(ctx)
}

// test is an invocation of sysbench.
type test struct {
	*program.Program
	*sysbench.Arguments
	script *lua.Program
	seed   uint32
	order  settings.Order
}

// do executes a command of the script, or runs its events.
func (t *test) do(ctx context.Context) error {
	if t.Help {
		t.Command = "help"
	}
	for _, w := range t.Warnings {
		fmt.Fprintln(t.Stdout, w)
	}
	fmt.Fprintf(t.Stdout, "%s\n\n", t.VersionLine(t.Program.Version))
	if t.Command == "" {
		if _, err := t.state(ctx, 0); err != nil { // most scripts say which commands they have
			return &fatalError{err}
		}
		return fmt.Errorf("the test %s needs a command, such as prepare, run, cleanup or help", t.Test)
	}
	s, err := t.state(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close(context.WithoutCancel(ctx)) }()
	declared := append(lua.General(t.Arguments.Version), s.Declared()...)
	if err := lua.Check(declared, t.Given, s.AnyOption()); err != nil {
		return err
	}
	if _, err := t.Checkpoints(); err != nil {
		return err
	}
	command, found := s.Command(t.Command)
	switch {
	case t.Command == "help" && !found:
		t.listOptions(s.Declared())
		return nil
	case t.Command == "help":
		return s.Do(ctx, command)
	case t.Command == "run":
		err := t.run(ctx, s)
		if err == nil || job.ExitOf(err) == job.ExitStopped {
			return err
		}
		return &fatalError{err}
	case !found:
		return fmt.Errorf("the test %s has no command %q", t.Test, t.Command)
	}
	if err := t.connect(ctx); err != nil {
		return &fatalError{err}
	}
	defer t.WatchReaders()()
	if err := t.execute(ctx, command.Parallel); err != nil {
		return &fatalError{err}
	}
	return nil
}

// execute executes the command, in each thread if it is parallel.
func (t *test) execute(ctx context.Context, parallel bool) error {
	if !parallel {
		own, err := t.state(ctx, 0)
		if err != nil {
			return err
		}
		defer func() { _ = own.Close(context.WithoutCancel(ctx)) }()
		command, _ := own.Command(t.Command)
		return own.Do(ctx, command)
	}
	all, ctx := errgroup.WithContext(ctx)
	for i := range int(t.Number("threads")) {
		all.Go(func() error {
			own, err := t.state(ctx, i)
			if err != nil {
				return err
			}
			defer func() { _ = own.Close(context.WithoutCancel(ctx)) }()
			command, _ := own.Command(t.Command)
			return own.Do(ctx, command)
		})
	}
	return all.Wait()
}

// listOptions prints the options of the script.
func (t *test) listOptions(list []lua.Option) {
	fmt.Fprintf(t.Stdout, "%s options:\n", t.Test)
	width := 0
	names := map[string]string{}
	for _, o := range list {
		switch o.Kind {
		case lua.Bool:
			names[o.Name] = "--" + o.Name + "[=on|off]"
		case lua.Int, lua.Double, lua.Size:
			names[o.Name] = "--" + o.Name + "=N"
		default:
			names[o.Name] = "--" + o.Name + "=STRING"
		}
		width = max(width, len(names[o.Name]))
	}
	slices.SortFunc(list, func(a, b lua.Option) int { return strings.Compare(a.Name, b.Name) })
	for _, o := range list {
		line := fmt.Sprintf("  %-*s %s", width, names[o.Name], o.Help)
		if o.Default != "" {
			line += " [" + o.Default + "]"
		}
		fmt.Fprintln(t.Stdout, report.Printable(line))
	}
	fmt.Fprintln(t.Stdout)
}

// state returns a state of the script for commands. Its connections open when the script asks for them.
func (t *test) state(ctx context.Context, thread int) (*lua.State, error) {
	setup := lua.Setup{
		Program: t.script, Options: t.options(), Version: t.Arguments.Version, Command: t.Command, Path: t.Test, Thread: thread, Seed: t.seed, Unsafe: t.AllowUnsafe, Out: t.Stdout,
	}
	setup.Server = lua.Server{Driver: lua.Driver(t.DBMS)}
	if t.order.Plan.Database != nil {
		p := t.order.Plan
		setup.Server = files.ServerOf(p.Database, nil, p.SQL.Placeholder, func(ctx context.Context) (database.Session, error) {
			return p.Database.Sessions.Connect(ctx, p.Connection, database.Owner)
		})
	}
	return lua.New(ctx, setup)
}

// options returns the given options without secrets.
func (t *test) options() map[string]string {
	given := maps.Clone(t.Given)
	maps.DeleteFunc(given, func(name, _ string) bool { return lua.Secret(name) })
	return given
}

// connect finds out where the database is. A server that is called MySQL may be MariaDB.
func (t *test) connect(ctx context.Context) (err error) {
	if t.order, err = t.resolve(); err != nil {
		return err
	}
	p := t.order.Plan
	if p.Database.Embedded() {
		return p.Database.Container.Create(ctx, p.Connection, func(job.Event) {})
	}
	s, err := p.Database.Sessions.Connect(ctx, p.Connection, database.Owner)
	if err != nil {
		return err
	}
	defer s.Close()
	if t.DBMS != "mysql" {
		return nil
	}
	v, err := s.Query(ctx, "SELECT VERSION()", 1)
	if err != nil {
		return err
	}
	if strings.Contains(v.Rows[0][0], "MariaDB") {
		t.DBMS = "mariadb"
		t.order, err = t.resolve()
	}
	return err
}

// resolve returns the settings of a run.
func (t *test) resolve() (settings.Order, error) {
	const name = "sysbench"
	w, err := t.Resolver.Own.New(name, t.Folder(t.script, int(t.Number("threads"))))
	if err != nil {
		return settings.Order{}, err
	}
	r := t.Resolver
	r.Workloads = append(slices.Clone(r.Workloads), w)
	flags := map[string]string{"db": t.DBMS, "workload": name, "seed": strconv.FormatUint(uint64(t.seed), 10), "users": strconv.Itoa(int(t.Number("threads")))}
	return r.Resolve(job.Run, settings.Sources{Environ: t.Environ, System: t.System, Flags: flags, Set: append(append(t.Connection(), t.settings()...), t.Set...)})
}

// settings returns the options of Sledge that the options of a run stand for.
func (t *test) settings() []string {
	const forEver = "8760h"
	duration := forEver
	if n := t.Number("time"); n > 0 {
		duration = fmt.Sprintf("%gs", n)
	}
	retries := "1000"
	if ignored, given := t.Given["mysql_ignore_errors"]; given && !strings.Contains(ignored, "1213") && ignored != "all" {
		retries = "0"
	}
	set := []string{
		"rampup=" + fmt.Sprintf("%gs", t.Number("warmup_time")), "duration=" + duration, "max_failures=100", "on_all_failing=continue", "max_retries=" + retries,
	}
	if n := t.Number("rate"); n > 0 {
		set = append(set, fmt.Sprintf("rate=%g/s", n))
	}
	if t.AllowUnsafe {
		set = append(set, "allow_programs=true")
	}
	return set
}

// run runs the events, and prints the reports.
func (t *test) run(ctx context.Context, hooks *lua.State) (err error) {
	if err := t.connect(ctx); err != nil {
		return fmt.Errorf("thread initialization failed: %w", err)
	}
	main, err := t.state(ctx, 0) // now with a database
	if err != nil {
		return err
	}
	defer func() { _ = main.Close(context.WithoutCancel(ctx)) }()
	checkpoints, err := t.Checkpoints()
	if err != nil {
		return err
	}
	t.Begins(t.Stdout)
	if err := main.Call(ctx, "init"); err != nil {
		return fmt.Errorf("`init' function failed: %w", err)
	}
	statistics := sysbench.NewStatistics(t.Arguments, checkpoints, t.Stdout, main)
	with := control.With{
		Direct: job.Direct{Records: statistics.Record, Joined: statistics.Join, Out: t.Stdout},
		Begun:  func(h *control.Handle) { t.Interrupts.Instead(func(int) { h.Interrupt() }) },
	}
	if !t.NoRepository {
		if with.Store, err = t.OpenRepository(t.Arguments.Repository); err != nil {
			return fmt.Errorf("%w, or use --no-repo to record nothing", err)
		}
		defer func() { err = errors.Join(err, with.Store.Close()) }()
	}
	h, err := control.Start(ctx, t.Runner, t.order, with)
	if err != nil {
		return err
	}
	defer t.WatchReaders()()
	var fatal error
	started := false
	for e := range h.Watch(ctx, 1) {
		switch {
		case e.State == job.UserRunning && e.User >= t.order.Plan.FirstWorker() && !started:
			started = true
			fmt.Fprint(t.Stdout, "Threads started!\n\n")
		case e.Second != nil:
			statistics.Tick(e.At)
			if err := statistics.Err(); err != nil && fatal == nil {
				fatal = err
				h.Stop()
			}
		case e.Failure != nil && !e.Failure.Retried && fatal == nil:
			fatal = fmt.Errorf("`thread_run' function failed: %s", report.Printable(strings.TrimSpace(e.Failure.Message)))
			h.Stop()
		}
	}
	outcome := h.Wait()
	if fatal == nil && !statistics.Any() {
		fatal = outcome.Err()
	}
	if id := h.ID(); id != "" {
		fmt.Fprintf(t.Stderr, "sledge: recorded as job %s (sledge jobs show %[1]s)\n", id)
	}
	if fatal != nil { // sysbench reports nothing then
		return fatal
	}
	fatal = statistics.End()
	if err := main.Call(ctx, "done"); err != nil && fatal == nil {
		fatal = fmt.Errorf("`done' function failed: %w", err)
	}
	if err := outcome.Err(); fatal == nil && job.ExitOf(err) == job.ExitStopped {
		return err
	}
	if r := outcome.Job.Result; !r.Status.Valid() && r.Reason != "" && fatal == nil {
		fmt.Fprintf(t.Stderr, "sledge: %s\n", report.OneLine(errors.New(r.Reason)))
	}
	return fatal
}
