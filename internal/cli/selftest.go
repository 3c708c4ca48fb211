package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/selftest"
	"sledge/internal/settings"
)

// selftestFlags are the flags of selftest.
type selftestFlags struct {
	jobFlags // those of them that say where the server is, and who asks it

	duration  option.Minutes
	limit     seconds
	file      string
	yes       bool
	withHosts bool
}

const selftestHelp = `Selftest runs on your server what Sledge's own tests run: it connects, sends values
of every type, provokes errors and a deadlock, builds small schemas, compares every row, runs
each workload in every way that the database has, checks the data, and deletes all of it.
A step that fails says so in the server's own words, and the next one begins. At the end
it writes a report for you to send to the people who make Sledge: of some databases no
test of theirs has seen a server, and sledge options says which.

It works in a database and with an account of its own, both called sledge_selftest, or in a
temporary file. With --user and --dbname you choose others; a database that is there must
be empty, and stays. Where anything else is found, it changes nothing and ends with exit
code 7. It shows what it will make and asks first, unless you give --yes.

The report holds no passwords, and no names or addresses of machines unless you give
--with-hosts. It says which versions answered, which settings the server has, which
options you set, and of each step how it ended, how long it took and what was said.

Ctrl-C stops it: it removes what it made and writes the report of what was done. A second
Ctrl-C does not wait for that.

The exit code is 0 if every step passed, or means nothing to the database; 1 if one failed,
or something could not be removed; 3 if nobody could sign in; 130 if you stopped it.`

func (p *Program) selftestCommand() *cobra.Command {
	f := selftestFlags{jobFlags: jobFlags{plain: map[string]string{}}, duration: option.Minutes(2 * time.Minute), limit: seconds(15 * time.Minute)}
	c := &cobra.Command{
		Use:   "selftest --db NAME [flags]",
		Short: "Test Sledge on your server, and write a report to send in",
		Long:  selftestHelp,
		Example: examples(
			"sledge selftest --db pg --host db1 --ask-superuser-password",
			"sledge selftest --url mariadb://root@db1 --duration 10s --yes --report selftest.md",
			"sledge selftest --url oracle://system@db1/FREEPDB1 --ask-superuser-password",
			"sledge selftest --db sqlite --workload tprocc --json",
		),
		GroupID: groupJobs,
		Args:    noArguments,
		RunE: p.run(func(ctx context.Context, _ []string) error {
			return p.selftest(ctx, &f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(plainFlag{"db", "name", f.plain}, "db", "database: "+strings.Join(databaseNames(p.Resolver), ", "))
	flags.Var(plainFlag{"workload", "name", f.plain}, "workload", "only this workload: "+strings.Join(workloadNames(p.Resolver), ", "))
	flags.Var(minutesFlag{&f.duration}, "duration", "time in minutes, or with a unit such as 10s, that each timed run takes (default 2)")
	flags.Var(&f.limit, "step-limit", "time that a step may take besides, after which it is stopped (default 15m)")
	flags.StringVar(&f.file, "report", "", "`file` for the report (default: sledge-selftest-DATABASE-DATE.md in this folder)")
	flags.BoolVar(&f.withHosts, "with-hosts", false, "let the report name machines")
	flags.BoolVar(&f.yes, "yes", false, "do not ask first")
	flags.StringVar(&f.config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringVar(&f.url, "url", "", "`URL` of the database; its scheme selects the database. Other users can see a password in it")
	f.addConnection(flags)
	flags.StringArrayVar(&f.set, "set", nil, "set an option by its full `name=value`; repeat as needed (sledge options lists them). Other users can see a password in it")
	flags.BoolVar(&f.askPassword, "ask-password", false, "ask for the database user's password on the terminal")
	flags.BoolVar(&f.askSuperuser, "ask-superuser-password", false, "ask for the superuser's password on the terminal")
	flags.BoolVar(&f.json, "json", false, "print the report as one JSON document, too")
	f.addPlainFlags(flags, p.Resolver, func(w settings.Flag) bool {
		return w.Group == option.Connection || w.Group == option.Accounts
	})
	p.completeSettings(c, &f.jobFlags)
	return c
}

// minutesFlag is a time that is given as runs are: a number of minutes, or with a unit.
type minutesFlag struct{ to *option.Minutes }

func (f minutesFlag) String() string { return "" } // a time that was not given is none
func (f minutesFlag) Type() string   { return "minutes" }

func (f minutesFlag) Set(text string) error {
	if err := f.to.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	if *f.to < option.Minutes(time.Second) {
		return errors.New("a run takes a second at least")
	}
	return nil
}

func (p *Program) selftest(ctx context.Context, f *selftestFlags) error {
	test, err := p.prepareSelftest(ctx, f)
	if err != nil {
		return err
	}
	if err := test.Look(ctx); err != nil {
		return err
	}
	if err := p.confirmSelftest(f, test); err != nil {
		return err
	}
	file, err := createReport(f.file, test.Database().Name, time.Now())
	if err != nil {
		return err
	}
	r := p.runSelftest(ctx, f, test)
	if err := p.writeReport(file, r); err != nil {
		return err
	}
	next := "please look through it, and send it in (docs/selftest.md says where)"
	if r.Server == "" {
		next = "it says no more than the lines above"
	}
	fmt.Fprintf(p.Stderr, "\nThe report is in %s: %s\n", file.Name(), next)
	if f.json {
		err = p.printJSON(r)
	} else {
		fmt.Fprintf(p.Stdout, "%s\n", r.Verdict())
	}
	return errors.Join(err, verdictOf(r))
}

// verdictOf is the error of a report that is not all good.
func verdictOf(r selftest.Report) error {
	switch {
	case r.Stopped:
		return job.WithExit(job.ExitStopped, errors.New("the self-test was stopped"))
	case len(r.LeftBehind) > 0:
		return fmt.Errorf("something is left behind: %s", strings.Join(r.LeftBehind, "; "))
	case r.Server == "" && r.Count(selftest.Failed) > 0:
		return job.WithExit(job.ExitConnect, fmt.Errorf("nobody could sign in, so nothing was tested: the options say where the server is and who may sign in (sledge options %s lists them)", r.Database))
	case r.Count(selftest.Failed) > 0:
		return errors.New("not every step passed: the report has the server's own words")
	}
	return nil
}

// prepareSelftest decides the settings.
func (p *Program) prepareSelftest(ctx context.Context, f *selftestFlags) (*selftest.Test, error) {
	b := selftest.Resolver(p.Resolver)
	if f.askPassword || f.askSuperuser {
		var err error
		if f.secrets, err = f.askSecrets(p); err != nil {
			return nil, err
		}
	}
	said := map[string]bool{}
	test, err := selftest.Prepare(b, f.sources(p), func(from settings.Sources, order settings.Order) (settings.Order, error) {
		for _, warning := range order.Warnings {
			if !said[warning] {
				said[warning] = true
				fmt.Fprintf(p.Stderr, "sledge: warning: %s\n", warning)
			}
		}
		return f.signInOn(ctx, p, b, from, order, settings.RefusalOf)
	})
	if err != nil {
		return nil, err
	}
	test.Version, test.Measured, test.StepLimit, test.WithHosts = p.Version, time.Duration(f.duration), time.Duration(f.limit), f.withHosts
	return test, nil
}

// confirmSelftest says what the test makes, and asks. Nobody makes anything on a server by a
// script without having said so.
func (p *Program) confirmSelftest(f *selftestFlags, test *selftest.Test) error {
	fmt.Fprintln(p.Stderr, test.Makes())
	switch {
	case f.yes:
		return nil
	case !p.StdinIsTerminal:
		return usage("nobody can be asked here: --yes does not ask")
	}
	return p.confirm("Begin?")
}

// createReport opens the file for the report before anything is made: what cannot be written
// is better known early. A report that is there is not written over.
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
		return nil, usage("the report cannot be written, so nothing was done: %w (--report names another file)", err)
	}
	return file, nil
}

// writeReport fills the file. Where it cannot, the report goes to standard output.
func (p *Program) writeReport(file *os.File, r selftest.Report) error {
	_, err := file.WriteString(r.Markdown())
	err = errors.Join(err, file.Close())
	if err != nil {
		fmt.Fprint(p.whole, r.Markdown())
		return fmt.Errorf("write the report, which is printed instead: %w", err)
	}
	return nil
}

// runSelftest runs the test and shows how its steps end.
func (p *Program) runSelftest(ctx context.Context, f *selftestFlags, test *selftest.Test) selftest.Report {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	quit := make(chan struct{})
	test.Quit = quit
	defer p.interrupts.instead(func(count int) {
		switch count {
		case 1:
			stop()
			fmt.Fprintln(p.Stderr, "stopping: what was made is removed, and the report written; press Ctrl-C again not to wait for that")
		case 2:
			close(quit)
		}
	})()
	quiet := func() {}
	test.Began = func(name string) {
		quiet()
		quiet = p.whenSlow("   ...    %s", name)
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
			fmt.Fprintf(p.Stderr, "                     %s\n", first)
		}
	}
	r := test.Run(ctx)
	return r
}
