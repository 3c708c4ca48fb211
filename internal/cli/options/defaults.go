package options

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

const defaultsHelp = `Defaults shows the settings that every job takes from the configuration file and the environment,
and where Sledge keeps its files. It connects to nothing.

It leaves out variables of the database's own clients, such as PGHOST, because they depend on the
database: sledge run --dry-run shows all settings of one job.`

// DefaultsCommand returns "sledge defaults", which prints the default settings and the paths of
// Sledge's files.
func DefaultsCommand(p *program.Program) *cobra.Command {
	var repository, config string
	var asJSON bool
	c := &cobra.Command{
		Use:     "defaults [flags]",
		Short:   "Show settings from the configuration file and the environment",
		Long:    defaultsHelp,
		Example: program.Examples("sledge defaults", "sledge defaults --config sledge.toml", "sledge defaults --json | jq -r .repository"),
		GroupID: program.GroupOthers,
		Args:    program.NoArguments,
		RunE: p.Body(func(context.Context, []string) error {
			path, err := p.Repository(repository)
			if err != nil {
				return err
			}
			sources := settings.Sources{ConfigFile: cmp.Or(config, p.Environment(settings.EnvConfig)), Environ: p.Environ}
			d, err := document.NewDefaults(p.Resolver, sources, path)
			if err != nil {
				return job.WithExit(job.ExitUsage, err)
			}
			if asJSON {
				return p.PrintJSON(d)
			}
			return showDefaults(p, d)
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringVar(&repository, "repo", "", "`file` of the job repository")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// showDefaults prints the paths of the files, and the settings of every job.
func showDefaults(p *program.Program, d document.Defaults) error {
	const none = "none"
	places := terminal.Table{Columns: []terminal.Column{{Head: "What", Left: true}, {Head: "Where", Left: true, Wrapped: true}, {Head: "By", Left: true}}}
	by := func(name string) string {
		if slices.ContainsFunc(d.Variables, func(v settings.Location) bool { return v.Name == name && v.Used }) {
			return name
		}
		return ""
	}
	places.Row("job repository", d.Repository, by(settings.EnvRepository))
	places.Row("connections", cmp.Or(d.Connections, none), "")
	places.Row("console's settings", cmp.Or(d.ConsoleSettings, none), by(settings.EnvSettings))
	places.Row("configuration file", cmp.Or(d.ConfigFile, none), by(settings.EnvConfig))
	if err := p.PrintTable(places); err != nil {
		return err
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(p.Stderr, "sledge: warning: %s\n", warning)
	}
	if len(d.Settings) == 0 {
		_, err := fmt.Fprintln(p.Stdout, "\nNeither a configuration file nor the environment sets anything.")
		return err
	}
	fmt.Fprintln(p.Stdout)
	settings := terminal.Table{Columns: []terminal.Column{{Head: "Setting", Left: true}, {Head: "Value", Left: true, Wrapped: true}, {Head: "From", Left: true}, {Head: "But", Left: true}}}
	for _, s := range d.Settings {
		value, but := s.Value, ""
		if s.Secret {
			value = "****"
		}
		if s.BeatenBy != "" {
			but = s.BeatenBy + " wins"
		}
		settings.Row(s.Name, value, s.From, but)
	}
	return p.PrintTable(settings)
}
