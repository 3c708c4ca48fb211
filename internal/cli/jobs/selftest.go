package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/selftest"
	"sledge/internal/settings"
)

// selftestFlags are the flags of selftest.
type selftestFlags struct {
	jobflags.Flags // only those of the server and the accounts are flags of selftest

	duration  option.Minutes
	limit     jobflags.Seconds
	file      string
	yes       bool
	withHosts bool
}

const selftestHelp = `Selftest runs Sledge's own test suites on your server: it connects, sends values of every type,
provokes errors and a deadlock, builds small schemas, compares every row, runs each workload in
every way that the database supports, checks the data, and drops everything. If a step fails, it
prints the server's message and continues with the next step. At the end it writes a report for you
to send to the developers of Sledge, who have no server of some databases (sledge options names
them).

It creates a database and an account, both named sledge_selftest, or a temporary file. With --user
and --dbname you choose other names. An existing database must be empty, and is not dropped; if it
contains anything, selftest changes nothing and ends with exit code 7. On a terminal it lists what
it will create and asks first, unless you give --yes.

The report contains no passwords, and no names or addresses of machines unless you give
--with-hosts. It contains the versions and settings of the server, the options that you set, and
the outcome, duration and messages of each step.

Ctrl-C stops the test: it drops what it created and writes the report so far. A second Ctrl-C
skips the dropping.

The exit code is 0 if every step passed or was skipped, because the database does not support it; 1
if a step failed or something could not be dropped; 3 if logging in failed; 130 if you stopped it.`

// SelftestCommand returns "sledge selftest", which tries Sledge itself on a server.
func SelftestCommand(p *program.Program) *cobra.Command {
	f := selftestFlags{Flags: jobflags.Flags{Plain: map[string]string{}}, duration: option.Minutes(2 * time.Minute), limit: jobflags.Seconds(15 * time.Minute)}
	c := &cobra.Command{
		Use:   "selftest --db NAME [flags]",
		Short: "Run Sledge's own tests on your server and write a report",
		Long:  selftestHelp,
		Example: program.Examples(
			"sledge selftest --db pg --host db1 --ask-superuser-password",
			"sledge selftest --url mariadb://root@db1 --duration 10s --report selftest.md",
			"sledge selftest --url oracle://system@db1/FREEPDB1 --ask-superuser-password",
			"sledge selftest --db sqlite --workload tprocc --json",
		),
		GroupID: program.GroupJobs,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return testAll(ctx, p, &f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	flags.Var(jobflags.NewPlainFlag("workload", "name", f.Plain), "workload", "only this workload: "+strings.Join(jobflags.WorkloadNames(p.Resolver), ", "))
	flags.Var(minutesFlag{&f.duration}, "duration", "measured time of each run, in minutes or with a unit such as 10s (default 2)")
	flags.Var(&f.limit, "step-limit", "time that a step may take beside its measured time, in seconds or with a unit; then it is aborted (default 15m)")
	flags.StringVar(&f.file, "report", "", "`file` for the report (default: sledge-selftest-DATABASE-DATE.md in the current folder)")
	flags.BoolVar(&f.withHosts, "with-hosts", false, "include names and addresses of machines in the report")
	flags.BoolVar(&f.yes, "yes", false, "do not ask for confirmation")
	f.AddSources(flags)
	flags.BoolVar(&f.JSON, "json", false, "also print the report as one JSON document")
	f.AddPlainFlags(flags, p.Resolver, func(w settings.Flag) bool {
		return w.Group == option.Connection || w.Group == option.Accounts
	})
	jobflags.CompleteSettings(p, c, &f.Flags)
	return c
}

// minutesFlag is a flag for a time: a number of minutes, or a number with a unit.
type minutesFlag struct{ to *option.Minutes }

func (f minutesFlag) String() string { return "" } // shows no default in help

func (f minutesFlag) Type() string { return "minutes" }

func (f minutesFlag) Set(text string) error {
	if err := f.to.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	if *f.to < option.Minutes(time.Second) {
		return errors.New("the shortest run is 1s")
	}
	return nil
}

func testAll(ctx context.Context, p *program.Program, f *selftestFlags) error {
	test, err := prepareSelftest(ctx, p, f)
	if err != nil {
		return err
	}
	if err := test.Look(ctx); err != nil {
		return err
	}
	if err := confirmSelftest(p, f, test); err != nil {
		return err
	}
	file, err := createReport(f.file, test.Database().Name, time.Now())
	if err != nil {
		return err
	}
	r := runSelftest(ctx, p, f, test)
	if err := writeReport(p, file, r); err != nil {
		return err
	}
	next := "please read it and send it in (docs/selftest.md says where)"
	if r.Server == "" {
		next = "it contains only the lines above"
	}
	fmt.Fprintf(p.Stderr, "\nThe report is in %s: %s\n", file.Name(), next)
	if f.JSON {
		err = p.PrintJSON(r)
	} else {
		fmt.Fprintf(p.Stdout, "%s\n", r.Verdict())
	}
	return errors.Join(err, verdictOf(r))
}

// verdictOf returns an error unless every step passed and everything was dropped.
func verdictOf(r selftest.Report) error {
	switch {
	case r.Stopped:
		return job.WithExit(job.ExitStopped, errors.New("the self-test was stopped"))
	case len(r.LeftBehind) > 0:
		return fmt.Errorf("not everything could be dropped: %s", strings.Join(r.LeftBehind, "; "))
	case r.Server == "" && r.Count(selftest.Failed) > 0:
		return job.WithExit(job.ExitConnect, fmt.Errorf("nothing was tested, because logging in failed: check the options of the server and the accounts (sledge options %s lists them)", r.Database))
	case r.Count(selftest.Failed) > 0:
		return errors.New("not every step passed: the report contains the server's messages")
	}
	return nil
}

// prepareSelftest resolves the settings of a self-test.
func prepareSelftest(ctx context.Context, p *program.Program, f *selftestFlags) (*selftest.Test, error) {
	b := selftest.Resolver(p.Resolver)
	if f.AskPassword || f.AskSuperuser {
		var err error
		if f.Secrets, err = f.AskSecrets(p); err != nil {
			return nil, err
		}
	}
	said := map[string]bool{}
	test, err := selftest.Prepare(b, f.Sources(p), func(from settings.Sources, order settings.Order) (settings.Order, error) {
		for _, warning := range order.Warnings {
			if !said[warning] {
				said[warning] = true
				fmt.Fprintf(p.Stderr, "sledge: warning: %s\n", warning)
			}
		}
		return f.SignInOn(ctx, p, b, from, order, settings.RefusalOf)
	})
	if err != nil {
		return nil, err
	}
	test.Version, test.Measured, test.StepLimit, test.WithHosts = p.Version, time.Duration(f.duration), time.Duration(f.limit), f.withHosts
	return test, nil
}

// confirmSelftest prints what the test will create and asks for confirmation. A script must give
// --yes.
func confirmSelftest(p *program.Program, f *selftestFlags, test *selftest.Test) error {
	fmt.Fprintln(p.Stderr, test.Makes())
	switch {
	case f.yes:
		return nil
	case !p.StdinIsTerminal:
		return program.Usage("there is no terminal to ask on: give --yes to begin without a question")
	}
	return p.Confirm("Begin?")
}

// createReport creates the file of the report. It is called before the test creates anything, so
// that an error comes early. It does not overwrite an existing file.
func createReport(name, database string, now time.Time) (*os.File, error) {
	named := name != ""
	if !named {
		name = fmt.Sprintf("sledge-selftest-%s-%s.md", database, now.Format("2006-01-02-150405"))
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) && !named {
		return createReport("", database, now.Add(time.Second)) // another one began in this second
	}
	if err != nil {
		return nil, program.Usage("the report cannot be written, so nothing was done: %w (--report names another file)", err)
	}
	return file, nil
}

// writeReport writes the report to the file, or to standard output if that fails.
func writeReport(p *program.Program, file *os.File, r selftest.Report) error {
	_, err := file.WriteString(r.Markdown())
	err = errors.Join(err, file.Close())
	if err != nil {
		fmt.Fprint(p.Whole, r.Markdown())
		return fmt.Errorf("write the report (it was printed instead): %w", err)
	}
	return nil
}

// runSelftest runs the test and prints the outcome of each step.
func runSelftest(ctx context.Context, p *program.Program, f *selftestFlags, test *selftest.Test) selftest.Report {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	quit := make(chan struct{})
	test.Quit = quit
	defer p.Interrupts.Instead(func(count int) {
		switch count {
		case 1:
			stop()
			fmt.Fprintln(p.Stderr, "stopping: dropping what the test created, then writing the report; press Ctrl-C again to skip the dropping")
		case 2:
			close(quit)
		}
	})()
	quiet := func() {}
	test.Began = func(name string) {
		quiet()
		quiet = p.WhenSlow("   ...    %s", name)
	}
	test.Ended = func(s selftest.Step) {
		quiet()
		quiet = func() {}
		fmt.Fprintf(p.Stderr, "%-8s %6.1f s  %s\n", s.Mark(), s.Seconds, s.Name)
		for _, said := range s.Says {
			first, _, more := strings.Cut(said, "\n")
			if more {
				first += " ..."
			}
			first = job.Cut(first, job.LongestInList) // the report has all of it
			fmt.Fprintf(p.Stderr, "                     %s\n", first)
		}
	}
	r := test.Run(ctx)
	return r
}
