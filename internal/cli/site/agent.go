package site

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/agent"
	"sledge/internal/agent/server"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
	"sledge/internal/terminal"
	"sledge/internal/web"
)

const agentHelp = `Agent samples this machine once a second for runs on other machines: CPU, memory, disks, network,
pressure, and the settings that performance depends on. A run names the machines that it watches:
sledge run --agent db1. Their samples are recorded with the job, on its time axis, even if the
clocks of the machines differ.

Start with sledge agent init, which creates a certificate and a token, and prints the command that
saves the agent on the machine that runs the tests. The agent only observes unless --allow says
otherwise. It needs no rights beyond those of an ordinary account, uses under 1 % of a core, and
keeps the last ten minutes in memory, so that a run which lost the connection gets what it missed.

Other machines cannot reach 127.0.0.1: listen on the address of a network that you trust, such as
--listen 10.0.0.5:7343, or use ssh -L 7343:127.0.0.1:7343 HOST. The agent answers only requests
with the token, by HTTP/2 and TLS 1.3. Ctrl-C ends it; runs go on and show a gap.

With --allow restart=COMMAND and --allow settings=FILE, experiments can vary settings that need a
restart of the server on this machine: a plan names the agent. Only clients with the token of
sledge agent init --changes may do so. They choose neither the command nor the file.`

// AgentCommand returns "sledge agent", which samples this machine for runs on others.
func AgentCommand(p *program.Program) *cobra.Command {
	var folder, listen string
	var allow []string
	c := &cobra.Command{
		Use:   "agent [flags]",
		Short: "Sample this machine for runs on other machines",
		Long:  agentHelp,
		Example: program.Examples(
			"# On the database server:",
			"sledge agent init",
			"sledge agent --listen 10.0.0.5:7343",
			"",
			"# On the machine that runs the tests, with what init printed:",
			"sledge agent add db1 10.0.0.5:7343 --fingerprint 3f9a…",
			"sledge agent list",
			"sledge run --db pg --host db1 --users 16 --agent db1",
			"",
			"# On a server whose settings an experiment varies:",
			"sledge agent init --changes",
			"sledge agent --listen 10.0.0.5:7343 \\",
			"  --allow restart='systemctl restart mariadb' \\",
			"  --allow settings=/etc/mysql/conf.d/zz-sledge.cnf",
		),
		GroupID: program.GroupOthers,
		Args:    program.OnlyCommands,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			return serveAgent(ctx, p, folder, listen, allow)
		}),
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&listen, "listen", fmt.Sprintf("127.0.0.1:%d", agent.Port), "`address` and port to listen on; port 0 chooses a free port")
	c.Flags().StringArrayVar(&allow, "allow", nil, "what clients with the token for changes may do: `restart=COMMAND`, or settings=FILE, a configuration file of the server; repeat it for both")
	c.PersistentFlags().StringVar(&folder, "folder", "", "`folder` of the agent's certificate and token (default: agent, beside the job repository)")
	c.AddCommand(agentInit(p, &folder), agentAdd(p), agentList(p), agentRemove(p))
	return c
}

// agentFolder returns the folder of an agent's certificate and token.
func agentFolder(p *program.Program, folder string) (string, error) {
	if folder != "" {
		return folder, nil
	}
	list, err := p.Agents()
	if err == nil && list.Path == "" {
		err = program.Usage("choose a folder with --folder, because the job repository is in memory")
	}
	return filepath.Join(filepath.Dir(list.Path), "agent"), err
}

// serveAgent serves until Ctrl-C.
func serveAgent(ctx context.Context, p *program.Program, folder, at string, allow []string) error {
	folder, err := agentFolder(p, folder)
	if err != nil {
		return err
	}
	identity, err := server.Open(folder)
	if err != nil {
		return err
	}
	allowed, err := readAllowed(allow)
	if err != nil {
		return err
	}
	if len(allow) > 0 && !identity.MayChange() {
		return job.WithExit(job.ExitMissing, errors.New("--allow has no effect without a token for changes: create one with sledge agent init --changes"))
	}
	address, err := net.ResolveTCPAddr("tcp", at)
	if err != nil {
		return program.Usage("--listen %s: give an address and a port, such as 127.0.0.1:%d (%w)", at, agent.Port, err)
	}
	listener, err := program.Listen(address)
	if err != nil {
		return program.Usage("--listen %s: %w", at, err)
	}
	who := "other machines cannot reach it"
	if web.Reachable(address) {
		who = "other machines can reach it, and need the token"
	}
	fmt.Fprintf(p.Stderr, "The agent listens on %s; %s. Ctrl-C ends it.\n", listener.Addr(), who)
	if allowed.Restart != "" {
		fmt.Fprintf(p.Stderr, "Clients with the token for changes may run: %s\n", report.Printable(allowed.Restart))
	}
	if allowed.Settings != "" {
		fmt.Fprintf(p.Stderr, "Clients with the token for changes may read and write: %s\n", report.Printable(allowed.Settings))
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer p.Interrupts.Instead(func(int) { end() })()
	go giveBack(ctx)
	s := server.New(identity, p.Version)
	s.Allow(allowed)
	if err := s.Serve(ctx, listener); err != nil {
		return err
	}
	fmt.Fprintln(p.Stderr, "The agent has ended.")
	return nil
}

// readAllowed reads the values of --allow.
func readAllowed(values []string) (allowed server.Allowed, err error) {
	for _, value := range values {
		what, how, _ := strings.Cut(value, "=")
		var into *string
		switch what {
		case agent.AllowRestart:
			into = &allowed.Restart
		case agent.AllowSettings:
			into = &allowed.Settings
		default:
			return allowed, program.Usage("--allow %s: give restart=COMMAND or settings=FILE", value)
		}
		switch how = strings.TrimSpace(how); {
		case *into != "":
			return allowed, program.Usage("--allow %s is there twice", what)
		case how == "" && what == agent.AllowRestart:
			return allowed, program.Usage("--allow restart: give the command that restarts the server, such as --allow restart='systemctl restart postgresql'")
		case how == "":
			return allowed, program.Usage("--allow settings: give the file that the server reads last, such as --allow settings=/etc/mysql/conf.d/zz-sledge.cnf")
		}
		*into = how
	}
	if err := allowed.Check(); err != nil {
		return allowed, program.Usage("--allow settings=%s: %w", allowed.Settings, err)
	}
	return allowed, nil
}

// giveBack gives memory that this process does not need to its machine, which it shares with the server under test,
// every ten seconds until ctx ends.
func giveBack(ctx context.Context) {
	for tick := time.NewTicker(10 * time.Second); ; {
		debug.FreeOSMemory()
		_ = host.ReleaseOwnPages() // with an error the agent takes more memory
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

func agentInit(p *program.Program, folder *string) *cobra.Command {
	var replace, changes bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Create the certificate and the token of this machine's agent",
		Long: `Init creates a certificate and a token in a folder that only you can read. It prints the token once,
on standard output, and saves only its hash. Clients recognize the agent by the fingerprint of the
certificate, and the agent recognizes clients by the token.

With --changes, it adds a second token, with which clients may also do what the agent was started
to allow, such as restart the server.`,
		Example: program.Examples(
			"sledge agent init",
			"sledge agent init --folder /var/lib/sledge-agent > token.txt",
			"sledge agent init --replace   # a new certificate and a new token",
			"sledge agent init --changes   # a token for what sledge agent --allow allows",
		),
		Args: program.NoArguments,
		RunE: p.Body(func(context.Context, []string) error {
			where, err := agentFolder(p, *folder)
			if err != nil {
				return err
			}
			create, what, allow, again := server.Init, "a certificate and a token", "", ""
			if changes {
				create, what, allow, again = server.InitChanges, "a token for changes", " --allow restart=COMMAND", " --replace"
			}
			identity, token, err := create(where, replace)
			if err != nil {
				return err
			}
			name, err := os.Hostname()
			if err != nil || agent.CheckName(name) != nil {
				name = "NAME"
			}
			short, _, _ := strings.Cut(name, ".")
			of := ""
			if *folder != "" {
				of = " --folder " + settings.ShellWord(where)
			}
			fmt.Fprintf(p.Stderr, `Created %s in %s.
Start the agent on an address that the clients reach:
  sledge agent%s --listen ADDRESS:%d%s
Save it on each client, which asks for the token:
  sledge agent add %s ADDRESS:%d \
  --fingerprint %s%s
This is the token. Save it now: it cannot be shown again, because only its hash
is saved.
`, what, where, of, agent.Port, allow, short, agent.Port, identity.Fingerprint(), again)
			_, err = fmt.Fprintln(p.Whole, token)
			return err
		}),
	}
	c.Flags().BoolVar(&changes, "changes", false, "add a token with which clients may do what sledge agent --allow allows")
	c.Flags().BoolVar(&replace, "replace", false, "replace the certificate and the tokens, after which every client must save the agent again; with --changes, only that token")
	return c
}

// savedAgents returns the file of saved agents, or an error if there cannot be one.
func savedAgents(p *program.Program) (agent.List, error) {
	list, err := p.Agents()
	if err == nil && list.Path == "" {
		err = program.Usage("agents are saved beside the job repository, but :memory: is not a file: set SLEDGE_REPO to a file")
	}
	return list, err
}

func agentAdd(p *program.Program) *cobra.Command {
	var fingerprint, tokenFile string
	var replace bool
	c := &cobra.Command{
		Use:   "add NAME HOST[:PORT]",
		Short: "Save the agent of another machine, for runs that watch it",
		Long: fmt.Sprintf(`Add connects to an agent, checks its certificate and the token, and saves both under a name in
%s beside the job repository, which only you can read. It asks for the token, unless a file or
the variable %s has it.`, agent.FileName, settings.EnvAgentToken),
		Example: program.Examples(
			"sledge agent add db1 10.0.0.5:7343 --fingerprint 3f9a…",
			"sledge agent add db1 10.0.0.5 --fingerprint 3f9a… --token-file token.txt",
		),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return program.Usage("%s takes a name and an address: %[1]s db1 10.0.0.5:%d --fingerprint FINGERPRINT", c.CommandPath(), agent.Port)
			}
			return nil
		},
		RunE: p.Body(func(ctx context.Context, args []string) error {
			list, err := savedAgents(p)
			if err != nil {
				return err
			}
			one := agent.Saved{Name: args[0]}
			if err := agent.CheckName(one.Name); err != nil {
				return job.WithExit(job.ExitUsage, err)
			}
			if one.Address, err = agent.AddressOf(args[1]); err != nil {
				return job.WithExit(job.ExitUsage, err)
			}
			if one.Fingerprint, err = agent.ReadFingerprint(fingerprint); err != nil {
				return program.Usage("--fingerprint: %w", err)
			}
			if err := list.Check(one.Name, replace); err != nil {
				return err
			}
			if one.Token, err = agentToken(p, tokenFile); err != nil {
				return err
			}
			poll, err := reach(ctx, one)
			if err != nil {
				return job.WithExit(job.ExitConnect, fmt.Errorf("the agent on %s cannot be used, and was not saved: %s", one.Address, report.OneLine(err)))
			}
			if err := list.Put(one, replace); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Saved %s: %s. Watch it with sledge run --agent %[1]s\n", one.Name, machineOf(poll))
			return err
		}),
	}
	c.Flags().StringVar(&fingerprint, "fingerprint", "", "`fingerprint` of the agent's certificate, which sledge agent init printed")
	c.Flags().StringVar(&tokenFile, "token-file", "", "`file` that has only the token")
	c.Flags().BoolVar(&replace, "replace", false, "replace the saved agent of this name")
	return c
}

// agentToken returns the token from a file, from the environment, or from the terminal.
func agentToken(p *program.Program, file string) (string, error) {
	token := p.Environment(settings.EnvAgentToken)
	if file != "" {
		text, err := settings.ReadSecret(file)
		if err != nil {
			return "", program.Usage("--token-file: %w", err)
		}
		token = text
	}
	if token == "" && !p.StdinIsTerminal {
		return "", program.Usage("there is no terminal to ask for the token on: give it with --token-file or in %s", settings.EnvAgentToken)
	}
	if token == "" {
		var err error
		if token, err = jobflags.AskPassword(p, "Token: "); err != nil {
			return "", err
		}
	}
	if token = strings.TrimSpace(token); token == "" || strings.ContainsAny(token, " \r\n") {
		return "", program.Usage("that is not a token: give the one that sledge agent init printed")
	}
	return token, nil
}

// reach polls an agent until the difference of the clocks is known well.
func reach(ctx context.Context, one agent.Saved) (poll agent.Poll, err error) {
	c := agent.NewClient(one)
	defer c.Close()
	if poll, err = c.Poll(ctx); err != nil {
		return poll, err
	}
	again, err := c.Poll(ctx) // the first one included connecting
	poll.Ahead, poll.Within = again.Ahead, again.Within
	return poll, err
}

// machineOf describes a machine in a few words.
func machineOf(poll agent.Poll) string {
	text := fmt.Sprintf("%s, %s, %d CPUs", poll.Host.Name, poll.Host.OS, poll.Host.CPUs)
	if said := report.ClockDifference(poll.Ahead.Seconds(), poll.Within.Seconds()); said != "" {
		text += ", " + said
	}
	if len(poll.Allows) > 0 {
		text += ", allows " + strings.Join(poll.Allows, " and ")
	}
	return report.Printable(text)
}

func agentList(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the saved agents and whether they answer",
		Example: program.Examples("sledge agent list"),
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			list, err := savedAgents(p)
			if err != nil {
				return err
			}
			all, err := list.Read()
			if err != nil {
				return err
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(p.Stdout, "No agent is saved. sledge agent add NAME HOST saves one.")
				return err
			}
			says := make([]string, len(all))
			var asking sync.WaitGroup
			limited, cancel := context.WithTimeoutCause(ctx, listPatience, errors.New("no answer"))
			defer cancel()
			done := p.WhenSlow("Waiting for the agents")
			for i, one := range all {
				asking.Go(func() {
					poll, err := reach(limited, one)
					if err != nil {
						says[i] = report.OneLine(err)
						return
					}
					says[i] = machineOf(poll)
				})
			}
			asking.Wait()
			done()
			t := terminal.Table{Columns: []terminal.Column{{Head: "Name", Left: true}, {Head: "Address", Left: true}, {Head: "Machine", Left: true, Wrapped: true}}}
			for i, one := range all {
				t.Row(one.Name, one.Address, says[i])
			}
			return p.PrintTable(t)
		}),
	}
}

// listPatience is the time in which all agents of a list must have answered.
const listPatience = 5 * time.Second

func agentRemove(p *program.Program) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a saved agent",
		Example: program.Examples("sledge agent remove db1"),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return program.Usage("%s takes one agent's name: %[1]s NAME", c.CommandPath())
			}
			return nil
		},
		RunE: p.Body(func(_ context.Context, args []string) error {
			list, err := savedAgents(p)
			if err != nil {
				return err
			}
			if err := list.Remove(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Removed %s\n", args[0])
			return err
		}),
	}
}
