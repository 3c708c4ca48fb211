package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/doctor"
	"sledge/internal/engine"
	"sledge/internal/engine/plan"
	"sledge/internal/engine/target"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// doctorFlags are the flags of doctor beside those of a run.
type doctorFlags struct {
	jobflags.Flags
	only, skip []string
	disk       string // folder of the test, or beside
	watch      jobflags.Seconds
	all        bool
}

// beside is the value of --disk without a folder.
const beside = "the repository's folder"

const doctorHelp = `Doctor checks this machine, the server and the planned load for what would spoil a run: settings of
the kernel and the server, limits, other work, missing statistics. It needs the same options as the
run. Without a database it checks this machine alone; run it on the server's machine, too.

It changes nothing. Each finding has a severity, the value, what it should be, why, the command
that mends it, which you run yourself, and the source of the advice:

  stop    the run would fail, or its result be wrong
  high    it is likely to cost more than 10 %, or makes runs unlike each other
  medium  it costs a few percent, or matters only in some cases
  note    the reader of a result should know it

A check that cannot be made is listed with its reason. Some checks compare two readings that are 10
seconds apart (--watch), and measure the speed of a core meanwhile. The test of the disk
writes and removes a temporary file; only --disk starts it.

The exit code is 0 if there is no finding of severity high or stop, 4 if there is one of severity
high, and 5 if there is one of severity stop. Each timed run makes the quick checks and records
them: sledge jobs show lists them.`

// DoctorCommand makes the command that checks machines, the server and the load.
func DoctorCommand(p *program.Program) *cobra.Command {
	f := doctorFlags{Flags: jobflags.Flags{Plain: map[string]string{}}, watch: jobflags.Seconds(10 * time.Second)}
	c := &cobra.Command{
		Use:   "doctor [--db NAME] [flags]",
		Short: "Check machine, server and load before a run",
		Long:  doctorHelp,
		Example: program.Examples(
			"# Check this machine.",
			"sledge doctor",
			"",
			"# Check everything before a run with these options.",
			"sledge doctor --db pg --host db1 --users 64 --rampup 2 --duration 5",
			"",
			"# Check only the server's settings, without waiting, for a script.",
			"sledge doctor --db maria --host db1 --only my --watch 0 --json",
			"",
			"# Leave out two checks, and test the disk below a folder.",
			"sledge doctor --db pg --skip cpu.shared,pg.jit --disk=/var/lib/postgresql",
		),
		GroupID: program.GroupOthers,
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return examine(ctx, p, &f)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.Var(jobflags.NewPlainFlag("db", "name", f.Plain), "db", "database: "+strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
	flags.Var(jobflags.NewPlainFlag("workload", "name", f.Plain), "workload", "workload: "+strings.Join(jobflags.WorkloadNames(p.Resolver), ", ")+" (default "+p.Resolver.DefaultWorkload().Name+")")
	flags.Var(jobflags.NewPlainFlag("users", "numbers", f.Plain), "users", "virtual users of the planned run; of several numbers, the greatest counts (default 1)")
	flags.StringSliceVar(&f.only, "only", nil, "make only these checks: `IDs or groups`, such as pg or mem.thp, separated by commas")
	flags.StringSliceVar(&f.skip, "skip", nil, "leave out these checks: `IDs or groups`, separated by commas")
	flags.Var(&f.watch, "watch", "time between the two readings of checks that watch, in seconds or with a unit; 0 leaves out these checks and those that measure (default 10)")
	flags.StringVar(&f.disk, "disk", "", "test how long a flush takes, with a temporary file in this `folder`; without one, beside the job repository: --disk=/var/lib/postgresql")
	flags.Lookup("disk").NoOptDefVal = beside
	flags.BoolVar(&f.all, "all", false, "print all texts of all findings, and each check that could not be made")
	flags.BoolVar(&f.JSON, "json", false, "print the findings as one JSON document")
	f.AddSources(flags)
	flags.StringVar(&f.Repository, "repo", "", "`file` of the job repository")
	f.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool { return flag.MeansSomethingTo(job.Run) })
	putDoctorInSections(flags)
	jobflags.CompleteSettings(p, c, &f.Flags)
	return c
}

func putDoctorInSections(flags *pflag.FlagSet) {
	program.PutInSection(flags, program.SectionMain, "db", "workload", "users", "only", "skip", "watch", "disk")
	program.PutInSection(flags, program.SectionSettings, "config", "url", "connection", "set", "ask-password", "ask-superuser-password")
	program.PutInSection(flags, program.SectionOutput, "all", "json")
	program.PutInSection(flags, program.SectionRecord, "repo")
}

// examine makes the checks and prints what they found.
func examine(ctx context.Context, p *program.Program, f *doctorFlags) error {
	planned, err := f.plan(ctx, p)
	if err != nil {
		return err
	}
	checks := host.Checks
	if planned != nil {
		checks = target.Checks(planned.Database)
	}
	o := doctor.Options{Only: f.only, Skip: f.skip, Watch: time.Duration(f.watch), Slow: f.watch > 0, Disk: f.disk != ""}
	if err := known(p, f, checks); err != nil {
		return err
	}
	repository, folder := f.folders(p)
	if info, err := os.Stat(folder); f.disk != "" && (err != nil || !info.IsDir()) {
		return program.Usage("--disk: %q is not a folder: give one in which you may write, such as --disk=/var/lib/postgresql", folder)
	}
	machine := host.ThisMachine(repository, folder)
	if planned != nil {
		machine.Ceiling, machine.Reached = f.ceiling(ctx, p, *planned)
	}
	done := progress(ctx, p, checks, o)
	found, unreached := engine.Doctor(ctx, planned, machine, o)
	done()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := f.print(p, planned, found); err != nil {
		return err
	}
	return errors.Join(unreached, verdictOfDoctor(found))
}

// plan returns the plan of the run, or nil if no database is named.
func (f *doctorFlags) plan(ctx context.Context, p *program.Program) (*plan.Plan, error) {
	order, err := f.Resolve(p, job.Run)
	if errors.Is(err, settings.ErrNoDatabase) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	signedIn, err := f.SignIn(ctx, p, order, settings.RefusalOf)
	switch {
	case err == nil:
		order = signedIn
	case job.ExitOf(err) == job.ExitUsage || ctx.Err() != nil:
		return nil, err
	}
	bound, err := order.Plan.WithUsers(slices.Max(order.Counts))
	if err != nil {
		return nil, job.WithExit(job.ExitUsage, err)
	}
	return &bound, nil
}

// ceiling returns the ceiling of this machine for a plan, and how much of it the last run reached, in
// percent. What the repository does not have is 0.
func (f *doctorFlags) ceiling(ctx context.Context, p *program.Program, planned plan.Plan) (perSecond, reached float64) {
	store, err := p.ReadRepository(f.Repository)
	if err != nil {
		return 0, 0
	}
	defer store.Close()
	database, workload := planned.Database.Name, planned.Workload.Name
	if j, err := store.Ceiling(ctx, database, workload, host.This()); err == nil && j != nil {
		perSecond = j.Result.Ceiling.TransactionsPerSecond
		reached, _ = store.LastReached(ctx, database, workload, planned.Target())
	}
	return perSecond, reached
}

// known returns an error if a name of --only or --skip is neither a check nor a group.
func known(p *program.Program, f *doctorFlags, checks []doctor.Check) error {
	here, names := map[string]bool{}, []string{}
	for _, c := range checks {
		here[c.ID], here[c.Group()] = true, true
	}
	add := func(list []doctor.Check) {
		for _, c := range list {
			names = append(names, c.ID, c.Group())
		}
	}
	add(host.Checks)
	add(doctor.LoadChecks)
	for _, d := range p.Resolver.Databases {
		add(d.Runs.Checks)
	}
	for flag, list := range map[string][]string{"only": f.only, "skip": f.skip} {
		for _, name := range list {
			switch {
			case !slices.Contains(names, name):
				meant := option.Nearest(name, names)
				if meant != "" {
					meant = ": did you mean " + meant + "?"
				}
				return program.Usage("--%s: %q is neither a check nor a group%s (docs/doctor.md lists them)", flag, name, meant)
			case flag == "only" && !here[name]:
				return program.Usage("--only: %s needs the database that it is about: give --db", name)
			}
		}
	}
	return nil
}

// folders returns the folder of the job repository, and that of the test of the disk.
func (f *doctorFlags) folders(p *program.Program) (repository, test string) {
	if path, err := p.Repository(f.Repository); err == nil && path != ":memory:" {
		repository = filepath.Dir(path)
	}
	if test = f.disk; test == beside || test == "" {
		test = repository
	}
	return repository, test
}

// progress says what takes time, until done is called.
func progress(ctx context.Context, p *program.Program, checks []doctor.Check, o doctor.Options) (done func()) {
	slow := slices.ContainsFunc(checks, func(c doctor.Check) bool {
		return o.Selects(c) && (c.Cost == doctor.Watching || c.Cost == doctor.Measuring)
	})
	if !slow || o.Watch <= 0 {
		return p.WhenSlow("Checking …")
	}
	if !p.StderrLook.Redraws {
		fmt.Fprintf(p.Stderr, "Watching this machine for %s (--watch 0 leaves it out)\n", o.Watch)
		return func() {}
	}
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for began := time.Now(); ; {
			left := max(0, o.Watch-time.Since(began)).Round(time.Second)
			fmt.Fprintf(p.Lines, "\r\x1b[KWatching this machine: %s left", left)
			select {
			case <-time.After(time.Second):
			case <-ended:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				break
			}
			select {
			case <-ended:
			default:
				continue
			}
			break
		}
		fmt.Fprint(p.Lines, "\r\x1b[K")
	}()
	return func() { close(ended); <-gone }
}

// print prints the findings as text or JSON.
func (f *doctorFlags) print(p *program.Program, planned *plan.Plan, found job.Doctor) error {
	if f.JSON {
		document := report.Doctor{Schema: report.DoctorSchema, Doctor: found}
		if planned != nil {
			document.Target = planned.Target()
		}
		return p.PrintJSON(document)
	}
	height := 0
	if p.StdoutWidth != nil && p.StderrHeight != nil {
		height = p.StderrHeight() - 1
	}
	_, err := fmt.Fprint(p.Whole, report.DoctorText(found, report.View{Width: p.Width(), Look: p.StdoutLook}, height, f.all))
	return err
}

// verdictOfDoctor returns an error if there is a finding of severity high or stop.
func verdictOfDoctor(d job.Doctor) error {
	for _, v := range []struct {
		severity job.Severity
		code     job.Exit
	}{{job.SeverityStop, job.ExitInvalid}, {job.SeverityHigh, job.ExitCheck}} {
		if n := d.Count(v.severity); n > 0 {
			return job.WithExit(v.code, fmt.Errorf("doctor: %d of severity %s", n, v.severity))
		}
	}
	return nil
}
