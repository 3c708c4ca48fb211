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

const connectionsHelp = `Connections keeps where servers are, and who connects to them, by names of your own.
Every job takes one by --connection NAME, and so do the web application, the
environment (SLEDGE_CONNECTION) and a configuration file (connection = "NAME"). What
else they say wins over it.

They are kept in connections.json beside the job repository, for your eyes only. A
password is not kept unless you ask for it with --keep-password: then it stands there
as it is, and whoever can read your files can read it. You can do without: name a
file of your own by --password-file, or set SLEDGE_PASSWORD.

They are not the connections of a pool, which one run opens at once: see --pool.`

// connectionsFor returns the connections that are kept beside the job repository, or nil if
// that has no place.
func (p *Program) connectionsFor(repository string) *settings.Connections {
	path, err := p.repository(repository)
	if err != nil || path == ":memory:" {
		return nil
	}
	return p.Resolver.ConnectionsIn(filepath.Dir(path))
}

// keptConnections returns the connections that are kept, or an error if there is no place.
func (p *Program) keptConnections(repository string) (*settings.Connections, error) {
	kept := p.connectionsFor(repository)
	if kept == nil {
		return nil, usage("connections are kept beside the job repository, and :memory: has no place: choose a file with --repo or SLEDGE_REPO")
	}
	return kept, nil
}

func (p *Program) connectionsCommand() *cobra.Command {
	var repository string
	c := &cobra.Command{
		Use:   "connections",
		Short: "Keep where servers are, and try it out",
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
	c.PersistentFlags().StringVar(&repository, "repo", "", "`file` of the job repository, beside which connections are kept")
	c.AddCommand(
		p.connectionsList(&repository), p.connectionsShow(&repository), p.connectionsAdd(&repository),
		p.connectionsRemove(&repository), p.connectionsTest(&repository),
	)
	return c
}

// oneConnection is for commands about one connection.
func oneConnection(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("%s takes one connection's name: %s NAME", c.CommandPath(), c.CommandPath())
	}
	return nil
}

// completeConnections completes the name of a connection.
func (p *Program) completeConnections(repository *string) complete {
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		if kept := p.connectionsFor(*repository); kept != nil {
			list, _ := kept.List()
			for _, one := range list {
				names = append(names, one.Name+"\t"+one.Database)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (p *Program) connectionsList(repository *string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the connections that are kept",
		Example: examples("sledge connections list", "sledge connections list --json | jq -r '.connections[].name'"),
		Args:    noArguments,
		RunE: p.run(func(context.Context, []string) error {
			kept, err := p.keptConnections(*repository)
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
				_, err := fmt.Fprintln(p.Stdout, "No connection is kept. sledge connections add NAME keeps one.")
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

// keptSecrets says whether a connection has a password.
func keptSecrets(c document.Connection) string {
	if len(c.Kept) > 0 {
		return "kept"
	}
	return "not kept"
}

func (p *Program) connectionsShow(repository *string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a connection, without its passwords",
		Example:           examples("sledge connections show lab"),
		Args:              oneConnection,
		ValidArgsFunction: p.completeConnections(repository),
		RunE: p.run(func(_ context.Context, args []string) error {
			kept, err := p.keptConnections(*repository)
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

// addPlace adds the flags that say where a server is, and who connects.
func (s *jobFlags) addPlace(flags *pflag.FlagSet, p *Program) {
	s.plain = map[string]string{}
	flags.SortFlags = false
	flags.Var(plainFlag{"db", "name", s.plain}, "db", "database: "+strings.Join(databaseNames(p.Resolver), ", "))
	flags.StringArrayVar(&s.set, "set", nil, "set an option by its full `name=value`; repeat as needed (sledge options lists them). Other users can see a password in it")
	flags.BoolVar(&s.askPassword, "ask-password", false, "ask for the database user's password on the terminal")
	flags.BoolVar(&s.askSuperuser, "ask-superuser-password", false, "ask for the superuser's password on the terminal")
	s.addPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return flag.Group == option.Connection || flag.Group == option.Accounts
	})
}

func (p *Program) connectionsAdd(repository *string) *cobra.Command {
	var s jobFlags
	var keep, replace bool
	c := &cobra.Command{
		Use:   "add NAME --db NAME [flags]",
		Short: "Keep a connection",
		Long: `Add keeps what its flags say, and nothing else: neither defaults nor what the environment
or the database's own client settings say. It connects to nothing: sledge connections test
tries the connection out.`,
		Example: examples(
			"sledge connections add lab --db pg --host db1 --user ann",
			"sledge connections add lab --db pg --host db2 --replace",
			"sledge connections add lab --db maria --host db1 --password-file secret.txt --keep-password",
			"sledge connections add here --db sqlite --dbname /var/tmp/load.sqlite",
		),
		Args: oneConnection,
		RunE: p.run(func(_ context.Context, args []string) error {
			kept, err := p.keptConnections(*repository)
			if err != nil {
				return err
			}
			if s.plain["db"] == "" {
				return usage("--db is missing: a connection is one to a database, one of %s", strings.Join(databaseNames(p.Resolver), ", "))
			}
			if s.secrets, err = s.askSecrets(p); err != nil {
				return err
			}
			order, err := p.Resolver.Resolve(job.Check, settings.Sources{Flags: s.plain, Set: s.set, Secrets: s.secrets})
			if err != nil {
				return err
			}
			if _, err := kept.Get(args[0]); err == nil && !replace {
				return job.WithExit(job.ExitExists, fmt.Errorf("there is a connection %s already: --replace puts this one in its place", args[0]))
			}
			one, err := kept.Put(settings.Connection{Name: args[0], Database: order.Spec.Database, Values: order.Spec.Values()}, keep, false)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Kept the connection %s\n", one.Name)
			return err
		}),
	}
	s.addPlace(c.Flags(), p)
	c.Flags().BoolVar(&keep, "keep-password", false, "keep the passwords that are given, readable for whoever can read your files")
	c.Flags().BoolVar(&replace, "replace", false, "put it in the place of one of the same name")
	return c
}

func (p *Program) connectionsRemove(repository *string) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Forget a connection",
		Example:           examples("sledge connections remove lab"),
		Args:              oneConnection,
		ValidArgsFunction: p.completeConnections(repository),
		RunE: p.run(func(_ context.Context, args []string) error {
			kept, err := p.keptConnections(*repository)
			if err != nil {
				return err
			}
			if err := kept.Remove(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Forgot the connection %s\n", args[0])
			return err
		}),
	}
}

func (p *Program) connectionsTest(repository *string) *cobra.Command {
	var s jobFlags
	c := &cobra.Command{
		Use:   "test [NAME] [flags]",
		Short: "Try out a connection, and change nothing",
		Long: `Test signs in as a run and as a build would, and says which server answers, how long a
round trip takes, whether commits survive a power failure, what is there of the workload's
schema, and which rights were not found. It tries a connection that is kept, or one that
flags describe. If neither a run nor a build could sign in, it ends with the exit code that
they would.`,
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
		ValidArgsFunction: p.completeConnections(repository),
		RunE: p.run(func(ctx context.Context, args []string) error {
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
			done := p.waitForAnswer(order.Plan)
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
	s.addPlace(c.Flags(), p)
	flags := c.Flags()
	flags.Var(plainFlag{"workload", "name", s.plain}, "workload", "workload whose schema and accounts are looked for, if not "+p.Resolver.DefaultWorkload().Name+": "+strings.Join(workloadNames(p.Resolver), ", "))
	flags.StringVar(&s.config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringVar(&s.url, "url", "", "`URL` of the database; its scheme selects the database. Other users can see a password in it")
	flags.BoolVar(&s.json, "json", false, "print JSON")
	p.completeSettings(c, &s)
	return c
}
