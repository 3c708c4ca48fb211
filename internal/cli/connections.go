package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/option"
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

// connectionsFor returns the connections that are saved beside the job repository, or nil if
// the repository is in memory.
func connectionsFor(p *Program, repository string) *settings.Connections {
	path, err := p.repository(repository)
	if err != nil || path == ":memory:" {
		return nil
	}
	return p.Resolver.ConnectionsIn(filepath.Dir(path))
}

// keptConnections returns the saved connections, or an error if the repository is in memory.
func keptConnections(p *Program, repository string) (*settings.Connections, error) {
	kept := connectionsFor(p, repository)
	if kept == nil {
		return nil, usage("connections are saved beside the job repository, but :memory: is not a file: choose a file with --repo or SLEDGE_REPO")
	}
	return kept, nil
}

func connectionsCommand(p *Program) *cobra.Command {
	var repository string
	c := &cobra.Command{
		Use:   "connections",
		Short: "Save and test connections to servers",
		Long:  connectionsHelp,
		Example: examples(
			"sledge connections add lab --db pg --host db1 --user ann",
			"sledge connections test lab",
			"sledge run --connection lab --users 8",
			"sledge connections list",
			"sledge connections remove lab",
		),
		GroupID: groupOthers,
		Args:    onlyCommands,
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
		return usage("%s takes one connection's name: %s NAME", c.CommandPath(), c.CommandPath())
	}
	return nil
}

// completeConnections completes the name of a connection.
func completeConnections(p *Program, repository *string) complete {
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		if kept := connectionsFor(p, *repository); kept != nil {
			list, _ := kept.List()
			for _, one := range list {
				names = append(names, one.Name+"\t"+one.Database)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func connectionsList(p *Program, repository *string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the saved connections",
		Example: examples("sledge connections list", "sledge connections list --json | jq -r '.connections[].name'"),
		Args:    noArguments,
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
				return p.printJSON(d)
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(p.Stdout, "No connection is saved. sledge connections add NAME saves one.")
				return err
			}
			t := terminal.Table{Columns: []terminal.Column{{Head: "Name", Left: true}, {Head: "Database", Left: true}, {Head: "Target", Left: true}, {Head: "Password", Left: true}}}
			for _, one := range d.Connections {
				t.Row(one.Name, one.Database, one.Target, keptSecrets(one))
			}
			return p.printTable(t)
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

func connectionsShow(p *Program, repository *string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a connection, without its passwords",
		Example:           examples("sledge connections show lab"),
		Args:              oneConnection,
		ValidArgsFunction: completeConnections(p, repository),
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
				return p.printJSON(document.NewConnections(p.Resolver, []settings.Connection{one}))
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
			return p.printTable(t)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// addServer adds the flags for the server's address and the account.
func (s *jobFlags) addServer(flags *pflag.FlagSet, p *Program) {
	s.plain = map[string]string{}
	flags.SortFlags = false
	flags.Var(newPlainFlag("db", "name", s.plain), "db", "database: "+strings.Join(databaseNames(p.Resolver), ", "))
	flags.StringArrayVar(&s.set, "set", nil, "set an option by its full `name=value`; repeat as needed (sledge options lists them). Other users can see a password in it")
	flags.BoolVar(&s.askPassword, "ask-password", false, "ask for the database user's password on the terminal")
	flags.BoolVar(&s.askSuperuser, "ask-superuser-password", false, "ask for the superuser's password on the terminal")
	s.addPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return flag.Group == option.Connection || flag.Group == option.Accounts
	})
}

func connectionsAdd(p *Program, repository *string) *cobra.Command {
	var s jobFlags
	var keep, replace bool
	c := &cobra.Command{
		Use:   "add NAME --db NAME [flags]",
		Short: "Save a connection",
		Long: `Add saves the settings that its flags give. It leaves out defaults, the environment and the
settings of the database's own clients. It connects to nothing: sledge connections test tests
the connection.`,
		Example: examples(
			"sledge connections add lab --db pg --host db1 --user ann",
			"sledge connections add lab --db pg --host db2 --replace",
			"sledge connections add lab --db maria --host db1 --password-file secret.txt --keep-password",
			"sledge connections add here --db sqlite --dbname /var/tmp/load.sqlite",
		),
		Args: oneConnection,
		RunE: p.Body(func(_ context.Context, args []string) error {
			kept, err := keptConnections(p, *repository)
			if err != nil {
				return err
			}
			if s.plain["db"] == "" {
				return usage("--db is missing: name the database, one of %s", strings.Join(databaseNames(p.Resolver), ", "))
			}
			if s.secrets, err = s.askSecrets(p); err != nil {
				return err
			}
			order, err := p.Resolver.Resolve(job.Check, settings.Sources{Flags: s.plain, Set: s.set, Secrets: s.secrets})
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
	s.addServer(c.Flags(), p)
	c.Flags().BoolVar(&keep, "keep-password", false, "save the passwords too, in plain text")
	c.Flags().BoolVar(&replace, "replace", false, "replace an existing connection of this name")
	return c
}

func connectionsRemove(p *Program, repository *string) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Remove a connection",
		Example:           examples("sledge connections remove lab"),
		Args:              oneConnection,
		ValidArgsFunction: completeConnections(p, repository),
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

func connectionsTest(p *Program, repository *string) *cobra.Command {
	var s jobFlags
	c := &cobra.Command{
		Use:   "test [NAME] [flags]",
		Short: "Test a connection and change nothing",
		Long: `Test logs in as a run and as a build would, and reports which server answers, how long a round
trip takes, whether commits survive a power failure, the state of the workload's schema, and
which privileges are missing. It tests a saved connection, or the one that its flags describe. If
neither a run nor a build could log in, it ends with the exit code that they would.`,
		Example: examples(
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
		ValidArgsFunction: completeConnections(p, repository),
		RunE: p.Body(func(ctx context.Context, args []string) error {
			s.repository = *repository
			if len(args) == 1 {
				s.connection = args[0]
			}
			order, err := s.resolve(p, job.Check)
			if err != nil {
				return err
			}
			if order, err = s.signIn(ctx, p, order, settings.RefusalOf); err != nil {
				return err
			}
			done := waitForAnswer(p, order.Plan)
			trial, err := order.Try(ctx, p.Version)
			done()
			if err != nil {
				return err
			}
			if s.json {
				if err := p.printJSON(document.NewTrial(order, trial)); err != nil {
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
	s.addServer(c.Flags(), p)
	flags := c.Flags()
	flags.Var(newPlainFlag("workload", "name", s.plain), "workload", "workload whose schema and account are tested: "+strings.Join(workloadNames(p.Resolver), ", ")+" (default "+p.Resolver.DefaultWorkload().Name+")")
	flags.StringVar(&s.config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringVar(&s.url, "url", "", "`URL` of the database; its scheme selects the database. Other users can see a password in it")
	flags.BoolVar(&s.json, "json", false, "print JSON")
	completeSettings(p, c, &s)
	return c
}
