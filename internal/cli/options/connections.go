package options

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

const connectionsHelp = `Connections saves the addresses of servers and the accounts to use there under names that you
choose. Select one with --connection NAME, in the web application, in the environment
(SLEDGE_CONNECTION) or in a configuration file (connection = "NAME"). Settings that you give
beside it win over those of the connection.

They are saved in connections.json beside the job repository, which only you can read. A password
is not saved unless you give --keep-password: then the file contains it in plain text, and anyone
who can read your files can read it. Instead you can name a file that contains the password with
--password-file, or set SLEDGE_PASSWORD.

To open several connections at once in a run, see --pool.`

// keptConnections returns the saved connections, or an error if the repository is in memory.
func keptConnections(p *program.Program, repository string) (*settings.Connections, error) {
	kept := jobflags.ConnectionsFor(p, repository)
	if kept == nil {
		return nil, program.Usage("connections are saved beside the job repository, but :memory: is not a file: choose a file with --repo or SLEDGE_REPO")
	}
	return kept, nil
}

// ConnectionsCommand returns "sledge connections", which saves, tests and lists connections.
func ConnectionsCommand(p *program.Program) *cobra.Command {
	var repository string
	c := &cobra.Command{
		Use:   "connections",
		Short: "Save and test connections to servers",
		Long:  connectionsHelp,
		Example: program.Examples(
			"sledge connections add lab --db pg --host db1 --user ann",
			"sledge connections test lab",
			"sledge run --connection lab --users 8",
			"sledge connections list",
			"sledge connections remove lab",
		),
		GroupID: program.GroupOthers,
		Args:    program.OnlyCommands,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&repository, "repo", "", "`file` of the job repository, beside which connections are saved")
	c.AddCommand(
		connectionsList(p, &repository), connectionsShow(p, &repository), connectionsAdd(p, &repository),
		connectionsRemove(p, &repository), connectionsTest(p, &repository),
	)
	return c
}

// oneConnection checks that the arguments are one connection's name.
func oneConnection(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return program.Usage("%s takes one connection's name: %s NAME", c.CommandPath(), c.CommandPath())
	}
	return nil
}

func connectionsList(p *program.Program, repository *string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the saved connections",
		Example: program.Examples("sledge connections list", "sledge connections list --json | jq -r '.connections[].name'"),
		Args:    program.NoArguments,
		RunE: p.Body(func(context.Context, []string) error {
			kept, err := keptConnections(p, *repository)
			if err != nil {
				return err
			}
			list, err := kept.List()
			if err != nil {
				return err
			}
			d := document.NewConnections(p.Resolver, list)
			if asJSON {
				return p.PrintJSON(d)
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(p.Stdout, "No connection is saved. sledge connections add NAME saves one.")
				return err
			}
			t := terminal.Table{Columns: []terminal.Column{{Head: "Name", Left: true}, {Head: "Database", Left: true}, {Head: "Target", Left: true}, {Head: "Password", Left: true}}}
			for _, one := range d.Connections {
				t.Row(one.Name, one.Database, one.Target, keptSecrets(one))
			}
			return p.PrintTable(t)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// keptSecrets reports in words whether a connection has a password.
func keptSecrets(c document.Connection) string {
	if len(c.Kept) > 0 {
		return "saved"
	}
	return "not saved"
}

func connectionsShow(p *program.Program, repository *string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a connection, without its passwords",
		Example:           program.Examples("sledge connections show lab"),
		Args:              oneConnection,
		ValidArgsFunction: jobflags.CompleteConnections(p, repository),
		RunE: p.Body(func(_ context.Context, args []string) error {
			kept, err := keptConnections(p, *repository)
			if err != nil {
				return err
			}
			one, err := kept.Get(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return p.PrintJSON(document.NewConnections(p.Resolver, []settings.Connection{one}))
			}
			d := document.NewConnection(p.Resolver, one)
			t := terminal.Table{Columns: []terminal.Column{{Head: "Setting", Left: true}, {Head: "Value", Left: true, Wrapped: true}}}
			t.Row("db", d.Database)
			for _, name := range slices.Sorted(maps.Keys(d.Values)) {
				t.Row(name, d.Values[name])
			}
			for _, name := range d.Kept {
				t.Row(name, "****")
			}
			return p.PrintTable(t)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func connectionsAdd(p *program.Program, repository *string) *cobra.Command {
	var s jobflags.Flags
	var keep, replace bool
	c := &cobra.Command{
		Use:   "add NAME --db NAME [flags]",
		Short: "Save a connection",
		Long: `Add saves the settings that its flags give. It leaves out defaults, the environment and the
settings of the database's own clients. It connects to nothing: sledge connections test tests
the connection.`,
		Example: program.Examples(
			"sledge connections add lab --db pg --host db1 --user ann",
			"sledge connections add lab --db pg --host db2 --replace",
			"sledge connections add my --db maria --password-file pw.txt --keep-password",
			"sledge connections add here --db sqlite --dbname /var/tmp/load.sqlite",
		),
		Args: oneConnection,
		RunE: p.Body(func(_ context.Context, args []string) error {
			kept, err := keptConnections(p, *repository)
			if err != nil {
				return err
			}
			if s.Plain["db"] == "" {
				return program.Usage("--db is missing: name the database, one of %s", strings.Join(jobflags.DatabaseNames(p.Resolver), ", "))
			}
			if s.Secrets, err = s.AskSecrets(p); err != nil {
				return err
			}
			order, err := p.Resolver.Resolve(job.Check, settings.Sources{Flags: s.Plain, Set: s.Set, Secrets: s.Secrets})
			if err != nil {
				return err
			}
			if _, err := kept.Get(args[0]); err == nil && !replace {
				return job.WithExit(job.ExitExists, fmt.Errorf("the connection %s exists already: choose another name, or give --replace", args[0]))
			}
			one, err := kept.Put(settings.Connection{Name: args[0], Database: order.Spec.Database, Values: order.Spec.Values()}, keep, false)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Saved the connection %s\n", one.Name)
			return err
		}),
	}
	s.AddServer(c.Flags(), p)
	c.Flags().BoolVar(&keep, "keep-password", false, "save the passwords too, in plain text")
	c.Flags().BoolVar(&replace, "replace", false, "replace an existing connection of this name")
	return c
}

func connectionsRemove(p *program.Program, repository *string) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove a connection",
		Example:           program.Examples("sledge connections remove lab"),
		Args:              oneConnection,
		ValidArgsFunction: jobflags.CompleteConnections(p, repository),
		RunE: p.Body(func(_ context.Context, args []string) error {
			kept, err := keptConnections(p, *repository)
			if err != nil {
				return err
			}
			if err := kept.Remove(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Removed the connection %s\n", args[0])
			return err
		}),
	}
}

func connectionsTest(p *program.Program, repository *string) *cobra.Command {
	var s jobflags.Flags
	c := &cobra.Command{
		Use:   "test [NAME] [flags]",
		Short: "Test a connection and change nothing",
		Long: `Test logs in as a run and as a build would, and reports which server answers, how long a round
trip takes, whether commits survive a power failure, the state of the workload's schema, and
which privileges are missing. It tests a saved connection, or the one that its flags describe. If
neither a run nor a build could log in, it ends with the exit code that they would.`,
		Example: program.Examples(
			"sledge connections test lab",
			"sledge connections test --db pg --host db1 --ask-password",
			"sledge connections test lab --json",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return oneConnection(c, args)
			}
			return nil
		},
		ValidArgsFunction: jobflags.CompleteConnections(p, repository),
		RunE: p.Body(func(ctx context.Context, args []string) error {
			s.Repository = *repository
			if len(args) == 1 {
				s.Connection = args[0]
			}
			order, err := s.Resolve(p, job.Check)
			if err != nil {
				return err
			}
			if order, err = s.SignIn(ctx, p, order, settings.RefusalOf); err != nil {
				return err
			}
			done := jobflags.WaitForAnswer(p, order.Plan)
			trial, err := order.Try(ctx, p.Version)
			done()
			if err != nil {
				return err
			}
			if s.JSON {
				if err := p.PrintJSON(document.NewTrial(order, trial)); err != nil {
					return err
				}
				return trial.Failure
			}
			signs := map[string]string{settings.Good: "✓", settings.Doubtful: "!", settings.Bad: "✗"}
			for _, remark := range trial.Remarks {
				fmt.Fprintf(p.Stdout, "%s %s\n", signs[remark.Tone], report.Printable(remark.Text))
			}
			return trial.Failure
		}),
	}
	s.AddServer(c.Flags(), p)
	flags := c.Flags()
	flags.Var(jobflags.NewPlainFlag("workload", "name", s.Plain), "workload", "workload whose schema and account are tested: "+strings.Join(jobflags.WorkloadNames(p.Resolver), ", ")+" (default "+p.Resolver.DefaultWorkload().Name+")")
	flags.StringVar(&s.Config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringVar(&s.URL, "url", "", "`URL` of the database; its scheme selects the database. Other users can see a password in it")
	flags.BoolVar(&s.JSON, "json", false, "print JSON")
	jobflags.CompleteSettings(p, c, &s)
	return c
}
