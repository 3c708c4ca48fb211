package jobflags

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/program"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// ConnectionsFor returns the connections that are saved beside the job repository, or nil if
// the repository is in memory.
func ConnectionsFor(p *program.Program, repository string) *settings.Connections {
	path, err := p.Repository(repository)
	if err != nil || path == ":memory:" {
		return nil
	}
	return p.Resolver.ConnectionsIn(filepath.Dir(path))
}

// CompleteConnections completes the name of a connection.
func CompleteConnections(p *program.Program, repository *string) Complete {
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		if kept := ConnectionsFor(p, *repository); kept != nil {
			list, _ := kept.List()
			for _, one := range list {
				names = append(names, one.Name+"\t"+one.Database)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// AddServer adds the flags for the server's address and the account.
func (s *Flags) AddServer(flags *pflag.FlagSet, p *program.Program) {
	s.Plain = map[string]string{}
	flags.SortFlags = false
	flags.Var(NewPlainFlag("db", "name", s.Plain), "db", "database: "+strings.Join(DatabaseNames(p.Resolver), ", "))
	s.addSet(flags)
	s.AddPlainFlags(flags, p.Resolver, func(flag settings.Flag) bool {
		return flag.Group == option.Connection || flag.Group == option.Accounts
	})
}

// AddSources adds the flags for the sources of settings: a configuration file, a URL, a saved connection, options and
// passwords.
func (s *Flags) AddSources(flags *pflag.FlagSet) {
	flags.StringVar(&s.Config, "config", "", "configuration `file` (.toml, .yaml)")
	flags.StringVar(&s.URL, "url", "", "`URL` of the database; its scheme selects the database. Other users can see a password in it")
	s.AddConnection(flags)
	s.addSet(flags)
}

// addSet adds the flags for options by their names, and for passwords.
func (s *Flags) addSet(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.Set, "set", nil, "set an option by its full `name=value`; repeat as needed (sledge options lists them). Other users can see a password in it")
	flags.BoolVar(&s.AskPassword, "ask-password", false, "ask for the database user's password on the terminal")
	flags.BoolVar(&s.AskSuperuser, "ask-superuser-password", false, "ask for the superuser's password on the terminal")
}
