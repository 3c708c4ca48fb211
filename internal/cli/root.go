// Package cli is the command line: it turns arguments into jobs, shows their progress, and prints
// their results. Its commands are in a folder for each group; this package puts them together. It
// does not know what a setting means (package settings), how a job works (package engine), or how a
// result is laid out (package report).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/hammerdb"
	"sledge/internal/cli/jobs"
	"sledge/internal/cli/options"
	"sledge/internal/cli/pgbench"
	"sledge/internal/cli/program"
	"sledge/internal/cli/results"
	"sledge/internal/cli/site"
	"sledge/internal/cli/sysbench"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

//go:generate go run ./generate

const rootHelp = `Sledge tests how much load a database can take: virtual users execute transactions, and Sledge
measures transactions per minute and response times.

A test has four steps. Build creates the schema and loads its tables. Check verifies that the data
are consistent. Run lets the virtual users work, first for a ramp-up, then for the measured time.
Delete drops the schema. Each step is a job, which the job repository records with its settings and
its result, so that you can repeat it and compare it.

If you know HammerDB: options keep their names and defaults.

  diset tpcc pg_count_ware 100    --set pg_count_ware=100   or --warehouses 100
  diset tpcc pg_num_vu 8          --set pg_num_vu=8         or --builders 8
  diset tpcc pg_duration 5        --set pg_duration=5       or --duration 5
  vuset vu 16                     --users 16
  buildschema, checkschema,
  vurun, deleteschema             sledge build, check, run, delete
  print dict                      sledge options pg
  jobs ID result                  sledge jobs result ID`

const rootExamples = `  # Try all steps on SQLite, without a database server.
  sledge demo

  # Test a PostgreSQL server, step by step.
  sledge build --db pg --host db1 --warehouses 100 --builders 8
  sledge check --db pg --host db1
  sledge run --db pg --host db1 --users 16 --rampup 2 --duration 5
  sledge jobs
  sledge delete --db pg --host db1

  # Print the result as JSON, for a script.
  sledge run --config sledge.toml --json | jq '.metrics'`

// Run performs the command that the arguments of p name and returns the exit code. It prints the
// error, if any, as the last line on standard error.
func Run(ctx context.Context, p *program.Program) job.Exit {
	return p.Run(ctx, func(ctx context.Context) error { return execute(ctx, p) })
}

func execute(ctx context.Context, p *program.Program) error {
	switch program.HammerDBName(p.Name) {
	case program.HammerDBConsole:
		return hammerdb.RunConsole(ctx, p)
	case program.HammerDBService:
		return hammerdb.RunService(ctx, p)
	}
	root := Commands(p)
	args := slices.Concat([]string{}, p.Args) // with nil, cobra would take the arguments of the process
	if tool := program.OtherTool(p.Name); tool != "" {
		args = slices.Concat([]string{tool}, p.Args)
	}
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	return root.ExecuteContext(ctx)
}

// Commands returns the tree of commands, from which the manual is generated too.
func Commands(p *program.Program) *cobra.Command {
	cobra.EnableCommandSorting = false // help lists them in the order of a test
	root := &cobra.Command{
		Use:           "sledge",
		Short:         "Load-test databases",
		Long:          rootHelp,
		Example:       rootExamples,
		Version:       p.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          program.OnlyCommands,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddGroup(
		&cobra.Group{ID: program.GroupJobs, Title: "Jobs, in the order of a test:"},
		&cobra.Group{ID: program.GroupResults, Title: "Results:"},
		&cobra.Group{ID: program.GroupOthers, Title: "Other commands:"},
	)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		summary, notes, _ := strings.Cut(cmp.Or(c.Long, c.Short), "\n\n")
		fmt.Fprintf(p.Stdout, "%s\n\n", terminal.Reflow(summary, helpWidth(p)))
		printUsage(p, c)
		if notes != "" {
			fmt.Fprintf(p.Stdout, "\nNotes:\n%s\n", terminal.Reflow(notes, helpWidth(p)))
		}
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		printUsage(p, c)
		return nil
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return explainFlag(p, c, err) })
	root.SetVersionTemplate("sledge {{.Version}}\n")
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID(program.GroupOthers)
	root.SetCompletionCommandGroupID(program.GroupOthers)
	root.AddCommand(
		jobs.BuildCommand(p), jobs.CheckCommand(p), jobs.RunCommand(p), jobs.DeleteCommand(p), jobs.DatagenCommand(p), jobs.DemoCommand(p), jobs.SelftestCommand(p),
		results.JobsCommand(p), results.CompareCommand(p), results.HistoryCommand(p), results.BundleCommand(p), results.VerifyCommand(p), jobs.RerunCommand(p), jobs.ExperimentCommand(p), site.WatchCommand(p), site.TopCommand(p), site.WebCommand(p), site.AgentCommand(p), hammerdb.ConsoleCommand(p), pgbench.Command(p), sysbench.Command(p), options.OptionsCommand(p), options.ConnectionsCommand(p), options.DefaultsCommand(p), jobs.CalibrateCommand(p), jobs.CapacityCommand(p), jobs.CeilingCommand(p), jobs.DoctorCommand(p), options.ConvertCommand(p), options.WorkloadCommand(p), options.CaptureCommand(p), versionCommand(p),
	)
	checkCompletion(root)
	return root
}

// checkCompletion makes the completion command refuse an unknown shell. Without it, the command
// prints its help and succeeds.
func checkCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = program.OnlyCommands
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Explain a command",
		Example: "  sledge help run\n  sledge help jobs export",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			at, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range at.Commands() {
				names = append(names, sub.Name()+"\t"+sub.Short)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			at, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return program.OnlyCommands(at, rest)
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}

// explainFlag turns an error in the flags into a one-line error with advice.
func explainFlag(p *program.Program, c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if words := c.Flags().Args(); c.HasSubCommands() && len(words) > 0 {
		return program.OnlyCommands(c, words) // a mistyped command, as in sledge buid --db pg
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return program.Usage("%w (see %s --help)", err, c.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	switch name {
	case "password", "pass":
		return program.Usage("there is no --%s, because other users can read command lines: use --password-file, --ask-password or an environment variable such as SLEDGE_PASSWORD", name)
	}
	if owners := ownersOf(c, name); owners != "" {
		return program.Usage("%s has no flag --%s: it belongs to %s", c.CommandPath(), name, owners)
	}
	if setting := settingOf(p, c, name); setting != "" {
		return program.Usage("%s has no flag --%s: %s sets this option (%s --help lists the flags)", c.CommandPath(), name, setting, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	meant := option.Nearest(name, names)
	if meant != "" {
		meant = ": did you mean --" + meant + "?"
	}
	return program.Usage("%s has no flag --%s%s (%s --help lists them)", c.CommandPath(), name, meant, c.CommandPath())
}

// settingOf returns the flag of c that sets the option of this name, or "" if there is no such
// option.
func settingOf(p *program.Program, c *cobra.Command, name string) string {
	called := strings.ReplaceAll(name, "-", "_")
	for pair := range p.Resolver.Pairs() {
		for _, o := range pair.Options() {
			if !slices.Contains(settings.Called(pair, o), called) {
				continue
			}
			switch flag := settings.FlagOf(o); {
			case flag != "" && c.Flags().Lookup(flag) != nil:
				return "--" + flag
			case c.Flags().Lookup("set") != nil && !o.Secret && !o.Soon:
				return "--set " + called + "=VALUE"
			}
		}
	}
	return ""
}

// ownersOf lists the job commands that have a flag, for a job command c that lacks it.
func ownersOf(c *cobra.Command, name string) string {
	if c.GroupID != program.GroupJobs {
		return ""
	}
	var owners []string
	for _, other := range c.Parent().Commands() {
		if other.GroupID == program.GroupJobs && other.Flags().Lookup(name) != nil {
			owners = append(owners, other.CommandPath())
		}
	}
	return strings.Join(owners, ", ")
}

// sections returns the sections of flags in the order of help.
func sections() (list []option.Group) {
	list = append(list, option.Group{Name: program.SectionFlags, Title: "Flags:"}, option.Group{Name: program.SectionMain, Title: option.MainTitle + ":"})
	list = append(list, option.Groups...)
	return append(list,
		option.Group{Name: program.SectionSettings, Title: "Settings: other sources, and a preview"},
		option.Group{Name: program.SectionOutput, Title: "Output: the form of progress and result"},
		option.Group{Name: program.SectionRecord, Title: "Record: the job in the repository"},
		option.Group{Name: program.SectionOthers, Title: "Other flags:"},
	)
}

// printUsage prints usage, examples, commands and flags, which follow the first paragraph of a
// command's help.
func printUsage(p *program.Program, c *cobra.Command) {
	out := c.OutOrStderr()
	wide := helpWidth(p)
	switch {
	case c.HasParent() && c.HasAvailableSubCommands():
		fmt.Fprintf(out, "Usage:\n  %s\n  %s <command> [flags]\n", c.UseLine(), c.CommandPath())
	case c.HasParent():
		fmt.Fprintf(out, "Usage:\n  %s\n", c.UseLine())
	default:
		fmt.Fprintf(out, "Usage:\n  %s <command> [flags]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(out, "\nExamples:\n%s\n", terminal.FoldCommands(c.Example, wide))
	}
	printCommands(c, wide)
	bySection := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { addTo(bySection, f) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { addTo(bySection, f) })
	for _, s := range sections() {
		if flags := bySection[s.Name]; flags != nil {
			fmt.Fprintf(out, "\n%s\n%s", s.Title, flags.FlagUsagesWrapped(wide))
		}
	}
	if !c.HasParent() {
		fmt.Fprint(out, "\nExit codes:\n")
		for _, e := range job.ExitMeanings {
			fmt.Fprintln(out, terminal.Fold(fmt.Sprintf("  %3d  %s", e.Code, e.Meaning), wide))
		}
		fmt.Fprint(out, "\nsledge <command> --help explains a command.\n")
	}
}

// helpWidth returns the width of help in columns: the terminal's width, at most 80.
func helpWidth(p *program.Program) int {
	const most = 80
	if width := p.Width(); width > 0 {
		return min(most, width)
	}
	return most
}

func addTo(bySection map[string]*pflag.FlagSet, f *pflag.Flag) {
	title := program.SectionFlags
	if marked := f.Annotations[program.Section]; marked != nil {
		title = marked[0]
	}
	if f.Name == "help" || f.Name == "version" {
		title = program.SectionOthers
	}
	if bySection[title] == nil {
		bySection[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
		bySection[title].SortFlags = false
	}
	bySection[title].AddFlag(f)
}

// printCommands lists the subcommands of c by group.
func printCommands(c *cobra.Command, wide int) {
	out := c.OutOrStderr()
	list := func(title, group string) {
		subs := slices.DeleteFunc(slices.Clone(c.Commands()), func(sub *cobra.Command) bool {
			return sub.GroupID != group || !sub.IsAvailableCommand()
		})
		if len(subs) == 0 {
			return
		}
		fmt.Fprintf(out, "\n%s\n", title)
		for _, sub := range subs {
			fmt.Fprintln(out, terminal.Fold(fmt.Sprintf("  %-*s  %s", c.NamePadding()+len("x"), sub.Name(), sub.Short), wide))
		}
	}
	for _, g := range c.Groups() {
		list(g.Title, g.ID)
	}
	list("Commands:", "")
}
