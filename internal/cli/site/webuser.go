package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/terminal"
	"sledge/internal/web"
)

func webUserCommand(p *program.Program, repository *string) *cobra.Command {
	c := &cobra.Command{
		Use:   "user",
		Short: "Add, list and remove users of the web application",
		Long: `User manages the users who may log in to the web application. They are saved in web-users.json
beside the job repository, which only you can read, with Argon2id hashes of passwords and SHA-256
hashes of tokens. A running server applies each change at once.`,
		Example: program.Examples(
			"sledge web user add ann --role act",
			"sledge web user list",
			"sledge web user remove ann",
		),
		Args: program.OnlyCommands,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(webUserAdd(p, repository), webUserList(p, repository), webUserRemove(p, repository))
	return c
}

// oneName checks that the arguments are one user's name.
func oneName(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return program.Usage("%s takes one user's name: %s NAME", c.CommandPath(), c.CommandPath())
	}
	return nil
}

// usersOf opens the users of the web application.
func usersOf(p *program.Program, repository string) (*web.Users, error) {
	folder, err := webFolder(p, repository)
	if err != nil {
		return nil, err
	}
	return web.UsersIn(folder), nil
}

func webUserAdd(p *program.Program, repository *string) *cobra.Command {
	var role, passwordFile string
	var projects []string
	var token, replace bool
	c := &cobra.Command{
		Use:   "add NAME --role look|act|own | --project PROJECT=look|act|own",
		Short: "Add a user with a password, or a program with a token",
		Long: `Add asks for a password on the terminal, twice, or reads it from a file. With --token it generates
a token for a program instead, and prints it once. A user with the role look can see results and
change nothing. A user with the role act can also start, stop and delete. A user with the role own
can also set up notices, and revoke what other users have shared.

With --project, a user has roles in projects only. A project is the value of the label project of jobs
and of saved set-ups. With look, the user sees its jobs; with act, also starts its set-ups, stops,
annotates and deletes its jobs; with own, also shares them by links.`,
		Example: program.Examples(
			"sledge web user add ann --role act",
			"sledge web user add wall --role look --password-file secret.txt",
			"sledge web user add ci --role act --token > token.txt",
			"sledge web user add kim --project kernel=act --project nightly=look",
			"",
			"# Change the password and the role.",
			"sledge web user add ann --role look --replace",
		),
		Args: oneName,
		RunE: p.Body(func(_ context.Context, args []string) error {
			users, err := usersOf(p, *repository)
			if err != nil {
				return err
			}
			name := args[0]
			rights, err := rightsOf(role, projects)
			if err != nil {
				return err
			}
			if token && passwordFile != "" {
				return program.Usage("--token and --password-file exclude each other: leave one out")
			}
			if err := users.Check(name, rights, replace); errors.Is(err, web.ErrUserExists) {
				return job.WithExit(job.ExitExists, fmt.Errorf("%w: choose another name, or change this user's role and password with --replace", err))
			} else if err != nil {
				return job.WithExit(job.ExitUsage, err)
			}
			if token {
				secret, err := users.AddToken(name, rights)
				if err != nil {
					return err
				}
				fmt.Fprintf(p.Stderr, "This is the token of %s (role %s). Save it now: it cannot be shown again, because Sledge saves only its hash.\n", name, rights)
				_, err = fmt.Fprintln(p.Whole, secret)
				return err
			}
			password, err := newPassword(p, name, passwordFile)
			if err != nil {
				return err
			}
			if err := users.AddPassword(name, rights, password); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Added %s with the role %s to %s\n", name, rights, users.Path())
			return err
		}),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&role, "role", "", "`role`: look, act or own")
	flags.StringArrayVar(&projects, "project", nil, "`PROJECT=ROLE`: a role in this project only; may be given several times, instead of --role")
	flags.StringVar(&passwordFile, "password-file", "", "`file` with the password in one line")
	flags.BoolVar(&token, "token", false, "generate a token for a program instead of a password")
	flags.BoolVar(&replace, "replace", false, "replace the user of this name and end their logins")
	return c
}

// rightsOf returns the rights that the flags give.
func rightsOf(role string, projects []string) (web.Rights, error) {
	switch {
	case role == "" && len(projects) == 0:
		return web.Rights{}, program.Usage("--role is missing: give look, to see results, act, to start, stop and delete too, or own, to set up notices and revoke what others share, too; or give --project for a role in one project only")
	case role != "" && len(projects) > 0:
		return web.Rights{}, program.Usage("--role is for the whole server, and --project for one project: leave one out")
	case role != "":
		return web.Everywhere(web.Role(role)), nil
	}
	rights := web.Rights{Projects: map[string]web.Role{}}
	for _, text := range projects {
		at := strings.LastIndex(text, "=")
		if at < 0 {
			return web.Rights{}, program.Usage("--project %s: give the role, too, such as --project %s=look", text, settings.ShellWord(text))
		}
		if _, _, err := job.ParseLabel(job.LabelProject + "=" + text[:at]); err != nil {
			return web.Rights{}, program.Usage("--project: %w", err)
		}
		if _, twice := rights.Projects[text[:at]]; twice {
			return web.Rights{}, program.Usage("--project: %s is given twice: leave out one", text[:at])
		}
		rights.Projects[text[:at]] = web.Role(text[at+1:])
	}
	return rights, nil
}

// newPassword reads a password from a file, or asks for it twice.
func newPassword(p *program.Program, name, file string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return "", job.WithExit(job.ExitMissing, fmt.Errorf("--password-file: the file %s does not exist", file))
		}
		if err != nil {
			return "", program.Usage("--password-file: %w", err)
		}
		password, rest, _ := strings.Cut(string(text), "\n")
		if rest != "" {
			return "", program.Usage("--password-file: %s has more than one line", file)
		}
		password = strings.TrimSuffix(password, "\r")
		if err := web.CheckPassword(password); err != nil {
			return "", program.Usage("--password-file: %w", err)
		}
		return password, nil
	}
	if !p.StdinIsTerminal {
		return "", program.Usage("there is no terminal to ask for the password on: give it with --password-file, or use --token for a program")
	}
	password, err := jobflags.AskPassword(p, fmt.Sprintf("Password for %s: ", name))
	if err != nil {
		return "", err
	}
	if err := web.CheckPassword(password); err != nil {
		return "", job.WithExit(job.ExitUsage, err)
	}
	again, err := jobflags.AskPassword(p, "Repeat the password: ")
	if err != nil {
		return "", err
	}
	if again != password {
		return "", program.Usage("the two passwords differ: nothing was changed")
	}
	return password, nil
}

func webUserList(p *program.Program, repository *string) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the users",
		Example: program.Examples("sledge web user list"),
		Args:    program.NoArguments,
		RunE: p.Body(func(context.Context, []string) error {
			users, err := usersOf(p, *repository)
			if err != nil {
				return err
			}
			all, err := users.List()
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(p.Stderr, "There are no users: sledge web prints a link that logs in.")
				return nil
			}
			t := terminal.Table{Columns: []terminal.Column{{Head: "User", Left: true}, {Head: "Role", Left: true}, {Head: "Logs in with", Left: true}, {Head: "Added", Left: true}}}
			for _, one := range all {
				t.Row(one.Name, one.String(), one.By(), one.Added.Local().Format("2006-01-02 15:04"))
			}
			return p.PrintTable(t)
		}),
	}
}

func webUserRemove(p *program.Program, repository *string) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a user and end their logins",
		Example: program.Examples("sledge web user remove ann"),
		Args:    oneName,
		RunE: p.Body(func(_ context.Context, args []string) error {
			users, err := usersOf(p, *repository)
			if err != nil {
				return err
			}
			all, err := users.List()
			if err != nil {
				return err
			}
			var names []string
			for _, one := range all {
				names = append(names, one.Name)
			}
			err = users.Remove(args[0])
			if errors.Is(err, web.ErrUserMissing) {
				return job.WithExit(job.ExitMissing, fmt.Errorf("%w%s (sledge web user list shows them)", err, option.Suggest(args[0], names)))
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Removed %s\n", args[0])
			return err
		}),
	}
}
