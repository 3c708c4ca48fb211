package hammerdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/cli/program"
	"sledge/internal/cli/site"
	"sledge/internal/hammerdb/console"
	"sledge/internal/report"
)

// The arguments of HammerDB's web service.
const (
	serviceWait   = "wait" // for Ctrl-C
	ServiceNoWait = "nowait"
	serviceGUI    = "gui"
	serviceSCGI   = "scgi"
	serviceStop   = "stop"
)

// ServiceHelp is the output of "hammerdbws --help".
const ServiceHelp = `Usage: hammerdbws [ start | wait | nowait | gui | stop ]

  hammerdbws              serve the web application until Ctrl-C; start and wait do the same
  hammerdbws nowait       serve it and read commands: jobs, env, help, quit
  hammerdbws gui          serve it and print only its address
  hammerdbws stop         end the server of the job repository, whichever command started it
  hammerdbws --version    print the version

The console's wsport sets the port. Only this machine can reach it. For other machines use sledge
web, with TLS and users; it also works behind a reverse proxy, for which HammerDB has scgi. This is
Sledge under HammerDB's name: sledge --help lists its commands.`

// ServiceWrong is HammerDB's message about an unknown argument.
const ServiceWrong = "Error starting HammerDB Web Service: argument should be start, stop, gui, scgi, wait or nowait"

// serviceCommands lists the commands of hammerdbws nowait.
const serviceCommands = "jobs ...    jobs of the repository: help jobs in hammerdbcli lists the forms\n" +
	"env         address and version of the service\n" +
	"help        this list\n" +
	"quit        end the service"

func serviceVersion(p *program.Program) string { return "Sledge Web Service " + p.Version }

// RunService runs the arguments of p as HammerDB's hammerdbws does.
func RunService(ctx context.Context, p *program.Program) (err error) {
	if len(p.Args) == 1 {
		switch strings.TrimLeft(p.Args[0], "-") {
		case "help", "h":
			fmt.Fprintln(p.Stdout, ServiceHelp)
			return nil
		case "version", "v":
			fmt.Fprintln(p.Stdout, serviceVersion(p))
			return nil
		}
	}
	mode, err := serviceMode(p.Args)
	if err != nil {
		fmt.Fprintln(p.Stdout, ServiceWrong)
		return err
	}
	p.Began = true
	_, kept, err := consoleFiles(p)
	if err != nil {
		return err
	}
	made, err := NewConsole(p, kept, "", nil, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	if mode == serviceStop {
		_, err := made.Call(ctx, console.Call{Name: "wsstop"})
		return errors.Join(err, made.Failure())
	}
	err = serveService(ctx, p, made, mode)
	if err != nil {
		fmt.Fprintf(p.Stdout, "Error starting HammerDB webservice on port %d in %s mode : %s\n", made.WebPort(), mode, report.OneLine(err))
	}
	return err
}

// serviceMode reads the arguments of hammerdbws.
func serviceMode(args []string) (mode string, err error) {
	if len(args) == 0 {
		return serviceWait, nil
	}
	if len(args) > 1 {
		return "", program.Usage("hammerdbws takes one argument: leave out %q (hammerdbws --help)", args[1])
	}
	switch mode = args[0]; {
	case mode == "start":
		return serviceWait, nil
	case slices.Contains([]string{serviceWait, ServiceNoWait, serviceGUI, serviceSCGI, serviceStop}, mode):
		return mode, nil
	}
	return "", program.Usage("hammerdbws does not know %q (hammerdbws --help)", mode)
}

// serveService serves until Ctrl-C, or until a command asks it to quit.
func serveService(ctx context.Context, p *program.Program, made *console.Console, mode string) (err error) {
	if mode == serviceSCGI {
		return program.Usage("Sledge does not support SCGI: let the proxy forward HTTP to sledge web --base-path /PATH --trusted-proxy 127.0.0.1")
	}
	path, _ := made.Repository()
	port := made.WebPort()
	s, err := site.Start(p, path, port)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if mode != serviceGUI {
		fmt.Fprintf(p.Stdout, "%s\nWeb Service using on-disk database %s\nStarting HammerDB Web Service on port %d\nListening for HTTP requests on TCP port %d\n",
			serviceVersion(p), s.Store.Path(), port, port)
	}
	if err := site.Introduce(p, s, site.WebFlags{}); err != nil {
		return err
	}
	defer p.Interrupts.Instead(func(int) { s.Quit() })()
	if mode != ServiceNoWait {
		return s.Serve(ctx)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	for lines := linesTyped(p); ; {
		if p.StdinIsTerminal {
			fmt.Fprint(p.Stdout, "hammerws>")
		}
		select {
		case err := <-ended:
			return err
		case line, more := <-lines:
			if words := strings.Fields(line); !more || len(words) == 1 && words[0] == "quit" {
				s.Quit()
				return <-ended
			} else if err := serviceCommand(ctx, p, made, s, words); err != nil {
				fmt.Fprintf(p.Stdout, "Error: %s\n", report.OneLine(err))
			}
		}
	}
}

// linesTyped returns the lines of standard input. Its goroutine runs until the input or the program
// ends, because a read from a terminal cannot be interrupted.
func linesTyped(p *program.Program) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for {
			line, err := program.ReadLine(p.Stdin)
			if err == nil || line != "" {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// serviceCommand executes a command of hammerdbws nowait.
func serviceCommand(ctx context.Context, p *program.Program, made *console.Console, s *site.Site, words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case words[0] == "jobs" || words[0] == "job":
		_, err := made.Call(ctx, console.Call{Name: words[0], Args: words[1:]})
		return err
	case len(words) == 1 && words[0] == "env":
		of, err := site.Find(s.Folder, made.WebPort())
		if err != nil {
			return err
		}
		text, err := of.Environment(ctx)
		if err == nil {
			fmt.Fprintln(p.Stdout, text)
		}
		return err
	case len(words) == 1 && words[0] == "help":
		fmt.Fprintln(p.Stdout, serviceCommands)
		return nil
	}
	return program.Usage("hammerdbws knows jobs, env, help and quit; for other commands, such as %s, use hammerdbcli", words[0])
}
