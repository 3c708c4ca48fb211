// Package pgbench contains the command that takes the place of pgbench.
package pgbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/control"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/pgbench"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// help is the description of the command.
const help = `Pgbench has the options, scripts, output and logs of pgbench, the load tester of PostgreSQL, so that
programs that start pgbench and read its output keep working. Called through a link named pgbench,
sledge takes the same arguments.

Every run is also a job of Sledge, with histograms, samples of the server and the reason of its
figures: its number is on standard error, and sledge jobs show prints it. --db runs the scripts on
another database.

As with pgbench, the exit code is 0, or 1 for wrong options and for a server that cannot be reached, or
2 if an error aborted a client.`

// Command returns "sledge pgbench".
func Command(p *program.Program) *cobra.Command {
	c := &cobra.Command{
		Use:   "pgbench [OPTION]... [DATABASE]",
		Short: "pgbench's options, scripts, output and logs",
		Long:  help,
		Example: program.Examples(
			"sledge pgbench -i -s 10 test",
			"sledge pgbench -c 8 -T 60 -P 5 test",
			"sledge pgbench -c 8 -T 60 -M prepared -f orders.sql@9 -f reports.sql@1 test",
			"sledge pgbench --db mysql --set user=root -h db1 -c 8 -T 60 -S test",
		),
		GroupID:            program.GroupOthers,
		DisableFlagParsing: true,
	}
	c.RunE = p.Body(func(ctx context.Context, args []string) error { return run(ctx, p, args, c.Help) })
	c.Flags().AddFlagSet(pgbench.Flags())
	return c
}

// The exit codes of pgbench.
const (
	exitWrong   job.Exit = 1 // wrong options, or no connection
	exitAborted job.Exit = 2 // a client was aborted
)

// run does what the arguments of pgbench say.
func run(ctx context.Context, p *program.Program, args []string, showHelp func() error) error {
	a, err := pgbench.Read(args, p.Environment)
	if err != nil {
		return job.WithExit(exitWrong, err)
	}
	switch {
	case a.Help:
		return showHelp()
	case a.Version:
		fmt.Fprintf(p.Stdout, "pgbench (Sledge %s)\n", p.Version)
		return nil
	case a.Show == "list":
		fmt.Fprint(p.Stderr, pgbench.List())
		return nil
	case a.Show != "":
		s, err := pgbench.Builtin(a.Show)
		if err != nil {
			return job.WithExit(exitWrong, err)
		}
		fmt.Fprintf(p.Stderr, "-- %s: %s\n%s\n", s.Name, s.Title, s.Text)
		return nil
	}
	err = benchmark{p, &a}.do(ctx)
	switch {
	case err == nil || job.ExitOf(err) == job.ExitStopped:
		return err
	case errors.Is(err, errAborted):
		return job.WithExit(exitAborted, err)
	}
	return job.WithExit(exitWrong, errors.New(err.Error())) // the exit codes of other commands have other meanings
}

// errAborted means that an error aborted a client.
var errAborted = errors.New("run was aborted; the above results are incomplete")

// benchmark is an invocation of pgbench.
type benchmark struct {
	*program.Program
	*pgbench.Arguments
}

// do makes the tables, or runs the scripts.
func (b benchmark) do(ctx context.Context) error {
	order, err := b.order(1)
	if err != nil {
		return err
	}
	t := pgbench.Target{Database: order.Plan.Database}
	if b.Initialise && t.Embedded() { // a server's database must exist
		if err := t.Container.Create(ctx, order.Plan.Connection, func(job.Event) {}); err != nil {
			return err
		}
	}
	if t.Session, err = t.Sessions.Connect(ctx, order.Plan.Connection, database.Owner); err != nil {
		return err
	}
	defer t.Session.Close()
	if b.Initialise {
		return pgbench.Initialise(ctx, b.Arguments, t, b.Stderr)
	}
	found, err := pgbench.Find(ctx, b.Arguments, t)
	if err != nil {
		return err
	}
	if b.Scale > 0 && b.Scale != found.Scale {
		fmt.Fprintf(b.Stderr, "pgbench: warning: scale option ignored, using count from pgbench_branches table (%d)\n", found.Scale)
	}
	pgbench.Vacuum(ctx, b.Arguments, t, b.Stderr)
	if order, err = b.order(found.Scale); err != nil {
		return err
	}
	return b.run(ctx, order, found)
}

// order returns the settings of a run.
func (b benchmark) order(scale int) (settings.Order, error) {
	if b.Initialise { // a build of any workload has the options of the connection
		return b.Resolver.Resolve(job.Build, settings.Sources{Environ: b.Environ, System: b.System, Flags: map[string]string{"db": b.DBMS}, Set: append(b.settings(), b.Set...)})
	}
	texts, err := b.Folder(scale)
	if err != nil {
		return settings.Order{}, err
	}
	const name = "pgbench"
	w, err := b.Resolver.Own.New(name, texts)
	if err != nil {
		return settings.Order{}, err
	}
	r := b.Resolver
	r.Workloads = append(slices.Clone(r.Workloads), w)
	seed, err := strconv.ParseUint(b.Seed, 10, 64)
	if err != nil { // time or rand
		seed = uint64(rand.Uint32())
	}
	flags := map[string]string{"db": b.DBMS, "workload": name, "seed": strconv.FormatUint(seed, 10), "users": strconv.Itoa(b.Clients)}
	return r.Resolve(job.Run, settings.Sources{Environ: b.Environ, System: b.System, Flags: flags, Set: append(b.settings(), b.Set...)})
}

// settings returns the options of Sledge that the arguments stand for.
func (b benchmark) settings() []string {
	var set []string
	add := func(name, value string) {
		if value != "" {
			set = append(set, name+"="+value)
		}
	}
	add("host", b.host())
	add("port", b.Port)
	add("user", b.User)
	add("dbname", b.Database)
	if b.DBMS == "postgresql" {
		add("no_superuser", "true")
	}
	if b.Initialise {
		return set
	}
	const forEver = "8760h"
	add("rampup", "0")
	add("max_failures", "100")
	add("on_all_failing", "continue")
	if b.Transactions > 0 {
		add("iterations", strconv.Itoa(b.Transactions))
		add("duration", forEver)
	} else {
		add("duration", strconv.Itoa(b.Duration)+"s")
	}
	const withoutLimit = 1000
	retries := b.MaxTries - 1
	if b.MaxTries == 0 {
		retries = withoutLimit
	}
	add("max_retries", strconv.Itoa(retries))
	if b.Rate > 0 {
		add("rate", strconv.FormatFloat(b.Rate, 'f', -1, 64)+"/s")
		if b.LatencyLimit > 0 {
			add("skip_late", time.Duration(b.LatencyLimit*float64(time.Millisecond)).String())
		}
	}
	if b.AllowUnsafe {
		add("allow_programs", "true")
	}
	return set
}

// host returns the host of the server. Without one it is the folder of a local socket, as for the client library of
// PostgreSQL.
func (b benchmark) host() string {
	if b.Host != "" || b.DBMS != "postgresql" {
		return b.Host
	}
	port := b.Port
	if port == "" {
		port = "5432"
	}
	for _, folder := range []string{"/var/run/postgresql", "/tmp"} {
		if _, err := os.Stat(filepath.Join(folder, ".s.PGSQL."+port)); err == nil {
			return folder
		}
	}
	return "localhost"
}

// inCommand matches the message of a failure in a command of a script.
var inCommand = regexp.MustCompile(`(?s)^command (\d+) at line \d+ of \S+: (.*)`)

// sayFailure reports a failure that aborts a client, or any if all errors are wanted. It is one of the first
// five of its class.
func (b benchmark) sayFailure(order settings.Order, position int, f job.Failure) {
	client := position - order.Plan.FirstWorker()
	script, _ := order.Plan.Workload.KindNamed(f.Kind)
	where, text := "", f.Message
	if m := inCommand.FindStringSubmatch(f.Message); m != nil {
		where, text = fmt.Sprintf(" in command %s query 0", m[1]), m[2]
	}
	text = report.Printable(strings.TrimSpace(text))
	switch {
	case slices.ContainsFunc(meter.Classes(), func(c meter.Class) bool { return c.String() == f.Class && c.Retryable() }), b.ContinueOnError:
		if b.VerboseErrors {
			fmt.Fprintf(b.Stderr, "pgbench: client %d got an error%s of script %d: %s\n", client, where, script, text)
		}
	default:
		fmt.Fprintf(b.Stderr, "pgbench: error: client %d script %d aborted%s: %s\n", client, script, where, text)
	}
}

// run runs the scripts, and prints the result.
func (b benchmark) run(ctx context.Context, order settings.Order, found pgbench.Tables) (err error) {
	var to io.Writer
	if b.Log {
		file, err := os.Create(fmt.Sprintf("%s.%d", b.LogPrefix, os.Getpid()))
		if err != nil {
			return fmt.Errorf("--log: %w", err)
		}
		defer file.Close()
		to = file
	}
	statistics := pgbench.NewStatistics(b.Arguments, b.Stderr, to)
	with := control.With{
		Direct: job.Direct{Records: statistics.Record},
		Begun:  func(h *control.Handle) { b.Interrupts.Instead(func(int) { h.Interrupt() }) },
	}
	if !b.NoRepository {
		if with.Store, err = b.OpenRepository(b.Arguments.Repository); err != nil {
			return fmt.Errorf("%w, or use --no-repo to record nothing", err)
		}
		defer func() { err = errors.Join(err, with.Store.Close()) }()
	}
	h, err := control.Start(ctx, b.Runner, order, with)
	if err != nil {
		return err
	}
	defer b.WatchReaders()()
	stopped := false
	for e := range h.Watch(ctx, 1) {
		switch {
		case e.Second != nil:
			statistics.Tick(e.At)
		case e.Failure != nil:
			b.sayFailure(order, e.User, *e.Failure)
		}
		if b.ExitOnAbort && !stopped && statistics.Aborted() {
			stopped = true
			h.Stop()
		}
	}
	outcome := h.Wait()
	if !statistics.Any() {
		return outcome.Err()
	}
	if err := statistics.End(); err != nil {
		return fmt.Errorf("--log: %w", err)
	}
	statistics.Report(b.Stdout, "Sledge "+b.Program.Version, found, outcome.Job.Result.Connecting, outcome.Job.Result.Commands)
	if id := h.ID(); id != "" {
		fmt.Fprintf(b.Stderr, "sledge: recorded as job %s (sledge jobs show %[1]s)\n", id)
	}
	if err := outcome.Err(); !stopped && job.ExitOf(err) == job.ExitStopped {
		return err
	}
	if r := outcome.Job.Result; !r.Status.Valid() && r.Reason != "" {
		fmt.Fprintf(b.Stderr, "sledge: %s\n", report.OneLine(errors.New(r.Reason)))
	}
	if statistics.Aborted() {
		return errAborted
	}
	return nil
}
