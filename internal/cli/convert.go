package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/hammerdb/setup"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/report"
	"sledge/internal/settings"
)

func convertCommand(p *Program) *cobra.Command {
	var as, action string
	c := &cobra.Command{
		Use:   "convert FILE --as FORM",
		Short: "Convert a console script or a configuration file to another form",
		Long: `Convert reads settings from a console script in Tcl or Python, or from a configuration file in
TOML or YAML, and prints them as a command line, a configuration file or a script. It runs
nothing: from a script it reads plain commands, such as diset and vuset, and lists on standard
error the lines that it did not understand. Passwords are left out. To convert the flags of a
command, add --as to the command: sledge run --as toml.`,
		Example: examples(
			"sledge convert run.tcl --as command",
			"sledge convert build.py --as toml > sledge.toml",
			"sledge convert sledge.toml --as tcl --action build",
		),
		GroupID: groupOthers,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("%s takes one file: %s FILE --as FORM", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(_ context.Context, args []string) error {
			if !slices.Contains([]string{"build", "check", "run", "delete"}, action) {
				return usage("--action: %q is not one of build, check, run, delete", action)
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
				Given: found.Settings, GivenBy: args[0], Connections: connectionsFor(p, ""),
			})
			if err != nil {
				return err
			}
			return writeForm(p, order, as)
		}),
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&as, "as", "", formHelp())
	c.Flags().StringVar(&action, "action", "run", "command that the settings are for: build, check, run, delete")
	for name, words := range map[string][]string{"as": formNames(), "action": {"build", "check", "run", "delete"}} {
		if err := c.RegisterFlagCompletionFunc(name, fixed(words...)); err != nil {
			panic(err) // the flag was declared twice
		}
	}
	return c
}

func formNames() (names []string) {
	for _, form := range setup.Forms {
		names = append(names, form.Name)
	}
	return names
}

func formHelp() string {
	return "print the settings in this `form` instead of using them: " + strings.Join(formNames(), ", ")
}

// writeForm prints the settings of an order in a form.
func writeForm(p *Program, order settings.Order, name string) error {
	for _, form := range setup.Forms {
		if form.Name == name {
			_, err := io.WriteString(p.whole, form.Write(p.Resolver, order))
			return err
		}
	}
	return usage("--as: %q is not one of %s%s", name, strings.Join(formNames(), ", "), option.Suggest(name, formNames()))
}
