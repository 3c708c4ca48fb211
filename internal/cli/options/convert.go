package options

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/hammerdb/setup"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// ConvertCommand returns "sledge convert", which converts settings of HammerDB to those of Sledge,
// and back.
func ConvertCommand(p *program.Program) *cobra.Command {
	var as, action string
	c := &cobra.Command{
		Use:   "convert FILE --as FORM",
		Short: "Convert a console script or a configuration file to another form",
		Long: `Convert reads settings from a console script in Tcl or Python, or from a configuration file in
TOML or YAML, and prints them as a command line, a configuration file or a script. It runs
nothing: from a script it reads plain commands, such as diset and vuset, and lists on standard
error the lines that it did not understand. Passwords are left out. To convert the flags of a
command, add --as to the command: sledge run --as toml.`,
		Example: program.Examples(
			"sledge convert run.tcl --as command",
			"sledge convert build.py --as toml > sledge.toml",
			"sledge convert sledge.toml --as tcl --action build",
		),
		GroupID: program.GroupOthers,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return program.Usage("%s takes one file: %s FILE --as FORM", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(_ context.Context, args []string) error {
			if !slices.Contains([]string{"build", "check", "run", "delete"}, action) {
				return program.Usage("--action: %q is not one of build, check, run, delete", action)
			}
			text, err := option.ReadFile(args[0])
			if err != nil {
				return job.WithExit(job.ExitUsage, err)
			}
			found, err := setup.TakeIn(p.Resolver, string(text))
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			for _, passed := range found.Passed {
				fmt.Fprintf(p.Stderr, "sledge: %s\n", report.Printable(passed))
			}
			order, err := p.Resolver.Resolve(job.Action(action), settings.Sources{
				Given: found.Settings, GivenBy: args[0], Connections: jobflags.ConnectionsFor(p, ""),
			})
			if err != nil {
				return err
			}
			return jobflags.WriteForm(p, order, as)
		}),
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&as, "as", "", jobflags.FormHelp())
	c.Flags().StringVar(&action, "action", "run", "command that the settings are for: build, check, run, delete")
	for name, words := range map[string][]string{"as": jobflags.FormNames(), "action": {"build", "check", "run", "delete"}} {
		jobflags.CompleteFlag(p, c, name, jobflags.Fixed(words...))
	}
	return c
}
