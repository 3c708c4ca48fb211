// Package cli is the command line: it turns arguments into jobs, shows them as
// they go, and prints what came out. What a setting means is decided in
// settings, what a job does in the engine, how a result looks in report.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// Program is one use of the command line, with all that it touches of the world
// outside, so that a test can hand it a world of its own.
type Program struct {
	Resolver settings.Resolver
	Runner   job.Runner // does jobs in this process
	Workers  job.Runner // does each in a process of its own, for the web application; nil is Runner
	Version  string

	Name    string   // what the program was called by, as in os.Args[0]; hammerdbcli and hammerdbws have arguments of their own
	Args    []string // without the program's name
	Environ []string // lines "NAME=value"
	System  string   // the folder of the machine's configuration, where database clients have some too: "/etc"

	Stdin  io.Reader
	Stdout io.Writer // results, and nothing else: what people read, broken into the terminal's lines
	Stderr io.Writer // progress, questions and errors

	StdinIsTerminal bool
	ReadPassword    func() (string, error) // from the terminal, without showing it

	// StdoutWidth and StderrWidth return how many columns the terminal has now, or 0
	// where there is none; nil is no terminal.
	StdoutWidth, StderrWidth func() int

	// StderrHeight returns how many lines its terminal has now; nil where there is none.
	StderrHeight func() int

	// StdoutLook and StderrLook say what else the terminals can show.
	StdoutLook, StderrLook terminal.Look

	// Signals brings each Ctrl-C and each other signal to end, and Exit ends the process
	// when there were too many.
	Signals <-chan os.Signal
	Exit    func(code int)

	whole      io.Writer // standard output for what programs read: lines stay whole
	lines      io.Writer // standard error for what is drawn again: it is as wide as it should be
	documented bool      // a JSON document was printed
	began      bool      // a command was found and its flags make sense
	interrupts interrupts

	watchReaders func() (end func()) // watches whether anybody reads the output, until end is called
	now          func() time.Time    // when a signal came; nil is time.Now
}

// Run does what the arguments say and returns the code to exit with. It prints
// the error, if any, as the last line on Stderr.
func (p *Program) Run(ctx context.Context) (code job.Exit) {
	unread := make(chan struct{}, 2) // one place for each stream
	stdout := newOutlet(p.Stdout, func() { unread <- struct{}{} })
	stderr := newOutlet(p.Stderr, func() { unread <- struct{}{} })
	p.whole, p.lines = stdout, stderr
	p.watchReaders = func() func() {
		ctx, cancel := context.WithCancel(ctx)
		var watching sync.WaitGroup
		watching.Go(func() { stdout.watch(ctx) })
		watching.Go(func() { stderr.watch(ctx) })
		return func() { cancel(); watching.Wait() }
	}
	p.Stdout, p.Stderr = terminal.NewWriter(stdout, p.StdoutWidth), terminal.NewWriter(stderr, p.StderrWidth)
	defer func() {
		if fault := recover(); fault != nil {
			code = p.sayFault(&job.Fault{Value: fault, Stack: debug.Stack()})
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if p.now == nil {
		p.now = time.Now
	}
	p.documented = false
	p.interrupts.instead(func(int) { cancel() })
	defer p.watchSignals(unread)()
	err := p.execute(ctx)
	if errors.Is(err, context.Canceled) {
		err = job.WithExit(job.ExitStopped, &stoppedError{err})
	}
	if fault, is := errors.AsType[*job.Fault](err); is {
		return p.sayFault(fault)
	}
	if err == nil {
		err = job.WithExit(job.ExitError, stdout.failure())
	}
	swallowed := stdout.unread() || stderr.unread()
	// Who reads the first lines alone, as head does, wants no word about the others.
	if err != nil && (!swallowed || !errors.Is(err, context.Canceled)) {
		fmt.Fprintf(p.Stderr, "sledge: %s\n", report.OneLine(err))
	}
	switch {
	case err == nil && !swallowed:
		return job.OK
	case err == nil || p.interrupts.any():
		code = job.ExitStopped
	case !p.began:
		code = job.ExitOf(job.WithExit(job.ExitUsage, err))
	default:
		code = job.ExitOf(err)
	}
	if err != nil && p.asksJSON() && !p.documented {
		_ = p.printJSON(document.NewError(code, err, report.OneLine(err))) // what cannot be printed has been said on Stderr
	}
	return code
}

// sayFault asks for a report of a fault of the program.
func (p *Program) sayFault(fault *job.Fault) job.Exit {
	fmt.Fprintf(p.Stderr, "%s\nsledge: this is a bug in Sledge: please report it, with the lines above: %v\n", fault.Stack, fault.Value)
	return job.ExitInternal
}

// asksJSON reports whether the arguments ask for JSON, also where they make no sense
// otherwise. A script of the console has arguments of its own.
func (p *Program) asksJSON() bool {
	if hammerdbName(p.Name) != "" || len(p.Args) > 0 && p.Args[0] == "console" {
		return false
	}
	return slices.ContainsFunc(p.Args, func(arg string) bool { return arg == "--json" || arg == "--json=true" })
}

// execute does what the arguments say.
func (p *Program) execute(ctx context.Context) error {
	switch hammerdbName(p.Name) {
	case hammerdbConsole:
		return p.hammerdb(ctx)
	case hammerdbService:
		return p.hammerdbws(ctx)
	}
	root := p.root()
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	return root.ExecuteContext(ctx)
}

// usage returns an error about the arguments.
func usage(format string, args ...any) error {
	return job.WithExit(job.ExitUsage, fmt.Errorf(format, args...))
}

// environment returns a variable's value, or "".
func (p *Program) environment(name string) string { return settings.Variable(p.Environ, name) }

// repositoryPath is where the job repository is: where the environment says, or
// else in its usual place.
func (p *Program) repositoryPath() (string, error) {
	if path := p.environment(settings.EnvRepository); path != "" {
		return path, nil
	}
	return repository.DefaultPath()
}

// openRepository opens the job repository at path, or else in its place.
func (p *Program) openRepository(path string) (*repository.Store, error) {
	return p.openRepositoryOr(path, "--repo")
}

// openRepositoryOr says what chooses another where the repository cannot be opened.
func (p *Program) openRepositoryOr(path, choice string) (*repository.Store, error) {
	path, err := p.repository(path)
	if err != nil {
		return nil, err
	}
	store, err := repository.OpenSaying(path, func(line string) { fmt.Fprintf(p.Stderr, "sledge: %s\n", line) })
	if err != nil {
		return nil, fmt.Errorf("%w (choose another one with %s)", err, choice)
	}
	return store, nil
}

// readRepository opens the job repository at path, or else in its place, to read from
// it. The usual place, which nobody can have mistyped, is as good as empty when there
// is none.
func (p *Program) readRepository(path string) (*repository.Store, error) {
	usual := path == "" && p.environment(settings.EnvRepository) == ""
	path, err := p.repository(path)
	if err != nil {
		return nil, err
	}
	store, err := repository.OpenToRead(path)
	if usual && job.ExitOf(err) == job.ExitMissing {
		return repository.Open(":memory:")
	}
	if err != nil {
		return nil, fmt.Errorf("%w (choose another one with --repo)", err)
	}
	return store, nil
}

// repository returns path, or where the job repository is if that is "".
func (p *Program) repository(path string) (string, error) {
	if path != "" {
		return path, nil
	}
	return p.repositoryPath()
}

// confirm asks a question on the terminal. Without a terminal nobody can be
// asked, and a script meant what it said.
func (p *Program) confirm(question string) error {
	if !p.StdinIsTerminal {
		return nil
	}
	fmt.Fprintf(p.Stderr, "%s [y/N] ", question)
	answer, err := p.ask(func() (string, error) { return readLine(p.Stdin) })
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if folded, ok := p.Stderr.(*terminal.Writer); ok && err == nil {
		folded.LineEntered()
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return usage("nothing was done, because the answer was not y; --yes does not ask")
}

// slow is after how long people want to know what they wait for.
const slow = 2 * time.Second

// whenSlow says a line if what goes on takes long, until the function it returns is called.
func (p *Program) whenSlow(format string, args ...any) (done func()) {
	timer := time.AfterFunc(slow, func() { fmt.Fprintf(p.Stderr, format+"\n", args...) })
	return func() { timer.Stop() }
}

// readLine reads a byte at a time, so that it takes nothing from what follows.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := r.Read(b)
		if n == 1 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if err != nil {
			return string(line), err
		}
	}
}

// width is how wide what is printed may be; 0 is as wide as it takes.
func (p *Program) width() int {
	if p.StdoutWidth == nil {
		return 0
	}
	return p.StdoutWidth()
}

// drawn is text in a look. It is broken into the lines of a terminal first, since what a look
// adds is not to be broken.
func drawn(look func(string) string, text string, width func() int) string {
	wide := 0
	if width != nil {
		wide = width()
	}
	lines := strings.Split(terminal.Fold(text, wide), "\n")
	for i, line := range lines {
		lines[i] = look(line)
	}
	return strings.Join(lines, "\n")
}

// run makes the body of a command, which may from then on fail for other
// reasons than its arguments.
func (p *Program) run(body func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		p.began = true
		return body(c.Context(), args)
	}
}

// stoppedError is what a command ended with because somebody stopped it.
type stoppedError struct{ err error }

// Error says so, and not how Go does.
func (e *stoppedError) Error() string { return job.Stopped }

// Unwrap returns where it was stopped.
func (e *stoppedError) Unwrap() error { return e.err }
