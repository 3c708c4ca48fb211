package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// demonstration describes a small test of one workload.
type demonstration struct {
	workload string
	settings map[string]string
	steps    []demoStep
	next     string // the commands for a test on a server
}

// demoStep is a job of a demonstration.
type demoStep struct {
	action job.Action
	title  string
}

// demonstrations take less than a minute each. The first is the default.
var demonstrations = []demonstration{
	{
		workload: "tprocc",
		settings: map[string]string{"warehouses": "1", "rampup": "2s", "duration": "10s", "users": "4"},
		steps: []demoStep{
			{job.Build, "Building one warehouse of TPROC-C in a SQLite file"},
			{job.Run, "Running four virtual users: 2 s of ramp-up, 10 s measured"},
			{job.Check, "Checking the data they left"},
		},
		next: `
That was SQLite, inside this process. On a server of your own,
with ten times the data and for longer:

  sledge build --db postgresql --host HOST --warehouses 10 --builders 4 --ask-superuser-password
  sledge run --db postgresql --host HOST --users 8 --rampup 2 --duration 5
  sledge check --db postgresql --host HOST
  sledge delete --db postgresql --host HOST --ask-superuser-password

  sledge build --db mariadb --host HOST --user USER --ask-password --warehouses 10 --builders 4
  sledge run --db mariadb --host HOST --user USER --ask-password --users 8 --rampup 2 --duration 5
  sledge check --db mariadb --host HOST --user USER --ask-password
  sledge delete --db mariadb --host HOST --user USER --ask-password

Then sledge jobs lists the results, and sledge options postgresql
lists what you can set.
`,
	},
	{
		workload: "tproch",
		settings: map[string]string{"scale": "0.05", "builders": "2", "users": "3", "test": "both"},
		steps: []demoStep{
			{job.Build, "Building TPROC-H at scale factor 0.05 in a SQLite file"},
			{job.Run, "Running the power test, and then the throughput test with two streams"},
			{job.Check, "Checking the data"},
		},
		next: `
That was SQLite, inside this process. On a server of your own,
with twenty times the data:

  sledge build --workload tproch --db postgresql --host HOST --scale 1 --builders 4 --ask-superuser-password
  sledge run --workload tproch --db postgresql --host HOST
  sledge run --workload tproch --db postgresql --host HOST --test both --users 3
  sledge check --workload tproch --db postgresql --host HOST
  sledge delete --workload tproch --db postgresql --host HOST --ask-superuser-password

Then sledge jobs lists the results, and sledge options postgresql tproch
lists what you can set.
`,
	},
}

// demonstrationOf returns the demonstration of the workload that the arguments name.
func demonstrationOf(p *program.Program, args []string) (demonstration, error) {
	if len(args) == 0 {
		return demonstrations[0], nil
	}
	w, err := p.Resolver.Workload(args[0])
	if err != nil {
		return demonstration{}, program.Usage("%w", err)
	}
	for _, d := range demonstrations {
		if d.workload == w.Name {
			return d, nil
		}
	}
	return demonstration{}, program.Usage("there is no demo of %s (sledge demo --help lists the demos)", w.Title)
}

// DemoCommand returns "sledge demo", which builds, runs and checks a small test in a SQLite file of
// its own.
func DemoCommand(p *program.Program) *cobra.Command {
	var folder string
	var keep, verbose bool
	c := &cobra.Command{
		Use:   "demo [WORKLOAD]",
		Short: "Build, run and check a small test on SQLite in under a minute",
		Long: `Demo performs a whole test on this machine: it builds one warehouse in a SQLite file, runs four
virtual users on it for ten seconds, checks the data, and prints the commands that do the same on
a server. Demo tproch does the same with analytic queries. You need no database server. Demo
removes its files at the end unless you give --keep.`,
		Example: program.Examples("sledge demo", "sledge demo tproch", "sledge demo --dir /fast/disk --keep"),
		GroupID: program.GroupJobs,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return program.Usage("%s takes one workload, not %d words", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) (err error) {
			chosen, err := demonstrationOf(p, args)
			if err != nil {
				return err
			}
			place, clean, err := demoPlace(folder)
			if err != nil {
				return err
			}
			if !keep {
				defer func() { err = errors.Join(err, clean()) }()
			}
			run, err := runDemo(ctx, p, chosen, place, verbose)
			if err != nil {
				return err
			}
			if m := run.Result.Metrics; len(m) > 0 {
				fmt.Fprintf(p.Stdout, "\n%s\n", p.StdoutLook.Figure(fmt.Sprintf("== Your result: %s %s", report.Short(m[0]), m[0].Name)))
			}
			fmt.Fprint(p.Stdout, terminal.FoldCommands(chosen.next, p.Width()))
			if keep {
				fmt.Fprintf(p.Stdout, "\nKept: the database, %s, and the jobs: sledge jobs --repo %s\n", place.database, place.repository)
			}
			return nil
		}),
	}
	c.Flags().StringVar(&folder, "dir", "", "`folder` to work in (default: a temporary one)")
	c.Flags().BoolVar(&keep, "keep", false, "keep the database and the jobs")
	c.Flags().BoolVar(&verbose, "verbose", false, "show the output of every virtual user")
	return c
}

// demoFiles are the paths of the files that a demo creates.
type demoFiles struct{ database, repository string }

// demoPlace creates the folder if it does not exist. clean removes only what the demo created.
func demoPlace(folder string) (place demoFiles, clean func() error, err error) {
	made := false
	if folder == "" {
		folder, err = os.MkdirTemp("", "sledge-demo-")
		made = true
	} else if _, missing := os.Stat(folder); errors.Is(missing, fs.ErrNotExist) {
		err = os.MkdirAll(folder, 0o700)
		made = true
	}
	if err != nil {
		return place, nil, fmt.Errorf("make a folder for the demo: %w", err)
	}
	place = demoFiles{
		database:   filepath.Join(folder, "demo.sqlite"),
		repository: filepath.Join(folder, "demo-jobs.db"),
	}
	if made {
		return place, func() error { return os.RemoveAll(folder) }, nil
	}
	for _, file := range []string{place.database, place.repository} {
		if _, err := os.Stat(file); err == nil {
			return place, nil, job.WithExit(job.ExitExists, fmt.Errorf("%s exists from an earlier demo: remove it, or choose another folder with --dir", file))
		}
	}
	return place, func() error { return removeSQLite(place.database, place.repository) }, nil
}

// removeSQLite removes SQLite databases with their journals.
func removeSQLite(files ...string) error {
	var problems []error
	for _, file := range files {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				problems = append(problems, err)
			}
		}
	}
	return errors.Join(problems...)
}

// runDemo performs the jobs of a demonstration in order, and returns the run.
func runDemo(ctx context.Context, p *program.Program, chosen demonstration, place demoFiles, verbose bool) (run job.Job, err error) {
	for _, step := range chosen.steps {
		fmt.Fprintf(p.Stdout, "\n%s\n\n", p.StdoutLook.Strong("== "+step.title))
		flags := map[string]string{"db": "sqlite", "workload": chosen.workload, "dbname": place.database}
		maps.Copy(flags, chosen.settings)
		order, err := p.Resolver.Resolve(step.action, settings.Sources{Flags: flags})
		if err != nil {
			return run, err
		}
		s := jobflags.Flags{Repository: place.repository, Verbose: verbose, Demo: true}
		j, err := jobflags.Perform(ctx, p, order, &s)
		if j != nil {
			err = errors.Join(jobflags.ShowResult(p, *j, &s), err)
		}
		if err != nil {
			return run, err
		}
		if step.action == job.Run {
			run = *j
		}
	}
	return run, nil
}
